"""The packages that a manifest requires, by whether the users of a project notice them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TypeGuard

import msgspec

from wardround.context.surface.packages import table, toml
from wardround.lazy import LazyPattern
from wardround.release_notes.history.changed_code import ChangedCode
from wardround.semantics.supply_chain.dependency import Dependency, Scope
from wardround.semantics.supply_chain.locks.reading import is_lock
from wardround.semantics.supply_chain.manifests import is_manifest, read_manifest
from wardround.semantics.supply_chain.python_manifests import normal_name

_NOTICED = frozenset({Scope.RUNTIME, Scope.OPTIONAL, Scope.PEER, Scope.IMAGE})
_SKIPPED = frozenset({Scope.INDEX, Scope.ACTION, Scope.TOOL, Scope.CONSTRAINT})
_PROJECTS = frozenset({"pyproject.toml", "setup.py", "setup.cfg"})
"""Manifests of a distribution, whose users install nothing from lists of requirements next to them."""
_LISTS = (".txt", ".in")


_KEY = LazyPattern(r"[ \t]*[\"']?([\w.-]{1,80})[\"']?[ \t]*=(?!=)")
"""The line of an extra, in TOML and in the settings of setuptools."""
_DEVELOPMENT = LazyPattern(
    r"(?i)(?:dev(?:el(?:opment)?)?|tests?|testing|docs?|lint(?:ing)?|typing|types|mypy|ci|bench\w*|build"
    r"|coverage|quality|style|check(?:s|ing)?|release|tools?|(?:read-?the-?|rt)docs?|rtd|sphinx|all)"
    r"(?:[-_.]\w+)*"
)
"""Extras for those who work on a project."""


class Requirement(msgspec.Struct, frozen=True, order=True):
    """A package that a project requires, for its users or for its development."""

    name: str
    is_noticed: bool


class RequirementReader:
    """Reads each version of a manifest once."""

    def __init__(self, code: ChangedCode, head: str) -> None:
        self._code = code
        self._is_packaged = not _PROJECTS.isdisjoint(code.entries(head))
        self._known: dict[tuple[str, str], Mapping[Requirement, str]] = {}

    def requirements(self, path: str, blob: str) -> Mapping[Requirement, str]:
        """Return the ranges of the packages of a manifest; ``*`` for any version."""
        if not blob or not is_manifest(path) or is_lock(path):
            return {}
        if (path, blob) not in self._known:
            self._known[path, blob] = self._read(path, blob)
        return self._known[path, blob]

    def _read(self, path: str, blob: str) -> Mapping[Requirement, str]:
        found: dict[Requirement, set[str]] = defaultdict(set)
        is_noticed = not (self._is_packaged and path.endswith(_LISTS))
        text = self._code.text(blob)
        for dependency in read_manifest(path, text).dependencies:
            if dependency.scope not in _SKIPPED:
                is_image = self._is_packaged and dependency.scope is Scope.IMAGE
                is_of_users = is_noticed and not is_image and _is_of_users(dependency, text)
                requirement = Requirement(dependency.name, is_of_users)
                found[requirement].add(dependency.text or "*")
        return {requirement: ", ".join(sorted(ranges)) for requirement, ranges in found.items()}


def _is_of_users(dependency: Dependency, text: str) -> bool:
    """Return True if those who use a project install a dependency, at least with an extra for them."""
    if dependency.scope is not Scope.OPTIONAL:
        return dependency.scope in _NOTICED
    before = text.split("\n")[: dependency.line]
    keys = (match[1] for line in reversed(before) if (match := _KEY.match(line)) is not None)
    key = next(keys, "")
    extras = _poetry_extras(dependency.name, text) or [key]
    return any(_DEVELOPMENT.fullmatch(extra) is None for extra in extras)


def _poetry_extras(name: str, text: str) -> list[str]:
    """Return the extras of Poetry that list a package, which is declared elsewhere."""
    extras = table(toml(text), "tool", "poetry", "extras")
    return [key for key, names in extras.items() if name in map(normal_name, filter(_is_text, names))]


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)
