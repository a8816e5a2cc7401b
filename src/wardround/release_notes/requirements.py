"""The packages that a manifest requires, by whether the users of a project notice them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import msgspec

from wardround.lazy import LazyPattern
from wardround.release_notes.changed_code import ChangedCode
from wardround.semantics.supply_chain.dependency import Dependency, Scope
from wardround.semantics.supply_chain.locks.reading import is_lock
from wardround.semantics.supply_chain.manifests import is_manifest, read_manifest

_NOTICED = frozenset({Scope.RUNTIME, Scope.OPTIONAL, Scope.PEER, Scope.IMAGE})
_SKIPPED = frozenset({Scope.INDEX, Scope.ACTION, Scope.TOOL, Scope.CONSTRAINT})
_PROJECTS = frozenset({"pyproject.toml", "setup.py", "setup.cfg"})
"""Manifests of a distribution, whose users install nothing from lists of requirements next to them."""
_LISTS = (".txt", ".in")


_KEY = LazyPattern(r"[ \t]*[\"']?([\w.-]{1,80})[\"']?[ \t]*=(?!=)")
"""The line of an extra, in TOML and in the settings of setuptools."""
_DEVELOPMENT = LazyPattern(
    r"(?i)(?:dev(?:el(?:opment)?)?|tests?|testing|docs?|lint(?:ing)?|typing|types|mypy|ci|bench\w*|build"
    r"|coverage|all)"
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
                requirement = Requirement(dependency.name, is_noticed and _is_of_users(dependency, text))
                found[requirement].add(dependency.text or "*")
        return {requirement: ", ".join(sorted(ranges)) for requirement, ranges in found.items()}


def _is_of_users(dependency: Dependency, text: str) -> bool:
    """Return True if those who use a project install a dependency, at least with an extra for them."""
    if dependency.scope is not Scope.OPTIONAL:
        return dependency.scope in _NOTICED
    before = text.split("\n")[: dependency.line]
    keys = (match[1] for line in reversed(before) if (match := _KEY.match(line)) is not None)
    return _DEVELOPMENT.fullmatch(next(keys, "")) is None
