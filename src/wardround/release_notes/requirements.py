"""The packages that a manifest requires, by whether the users of a project notice them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import msgspec

from wardround.release_notes.changed_code import ChangedCode
from wardround.semantics.supply_chain.dependency import Scope
from wardround.semantics.supply_chain.locks.reading import is_lock
from wardround.semantics.supply_chain.manifests import is_manifest, read_manifest

_NOTICED = frozenset({Scope.RUNTIME, Scope.OPTIONAL, Scope.PEER, Scope.IMAGE})
_SKIPPED = frozenset({Scope.INDEX, Scope.ACTION, Scope.TOOL, Scope.CONSTRAINT})
_PROJECTS = frozenset({"pyproject.toml", "setup.py", "setup.cfg"})
"""Manifests of a distribution, whose users install nothing from lists of requirements next to them."""
_LISTS = (".txt", ".in")


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
        for dependency in read_manifest(path, self._code.text(blob)).dependencies:
            if dependency.scope not in _SKIPPED:
                requirement = Requirement(dependency.name, is_noticed and dependency.scope in _NOTICED)
                found[requirement].add(dependency.text or "*")
        return {requirement: ", ".join(sorted(ranges)) for requirement, ranges in found.items()}
