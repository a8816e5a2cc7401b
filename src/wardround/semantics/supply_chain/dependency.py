"""A dependency as a manifest declares it."""

from __future__ import annotations

import enum

import msgspec


class Scope(enum.StrEnum):
    """The use of a dependency; ``index`` is a registry, ``catalog`` a range that manifests share."""

    RUNTIME = "runtime"
    DEV = "dev"
    OPTIONAL = "optional"
    PEER = "peer"
    BUILD = "build"
    CONSTRAINT = "constraint"
    CATALOG = "catalog"
    IMAGE = "image"
    ACTION = "action"
    TOOL = "tool"
    INDEX = "index"


class Dependency(msgspec.Struct, frozen=True, order=True):
    """One requirement of a manifest.

    Attributes:
        ecosystem: ``pypi``, ``npm``, ``docker`` or ``github-actions``.
        name: in the normal form of its ecosystem.
        requirement: the range of versions in the syntax of its ecosystem, a tag, or a git revision.
        source: ``""`` for a registry, else ``git``, ``url``, ``path`` or ``workspace``.
        origin: the URL, path or name of the index that it comes from; empty for the usual registry.
        marker: the condition of the requirement.
        is_pinned: it names one version, commit or digest.
        has_hash: the content is verified.
        line: 1-based.
    """

    ecosystem: str
    name: str
    scope: Scope
    requirement: str = ""
    source: str = ""
    origin: str = ""
    marker: str = ""
    is_pinned: bool = False
    has_hash: bool = False
    line: int = 1

    @property
    def is_required(self) -> bool:
        """True if an installation without extras or development tools has it."""
        return self.scope is Scope.RUNTIME

    @property
    def text(self) -> str:
        """The requirement with its source, as notes show it."""
        return " ".join(part for part in (self.origin, self.requirement) if part)


class Manifest(msgspec.Struct, frozen=True):
    """The dependencies of one file.

    Attributes:
        problem: the reason why it cannot be read; empty if it can.
    """

    dependencies: tuple[Dependency, ...] = ()
    problem: str = ""


class LineFinder:
    """Finds the lines of dependencies, each after the line of the last one: manifests are in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset, self._line = 0, 1

    def line_of(self, *needles: str) -> int:
        """Return the line of the first of some texts that exists, after a line break at its start."""
        for needle in needles:
            found = self._text.find(needle, self._offset)
            if found < 0:
                found = self._text.find(needle)
            if found >= 0:
                return self._moved_to(found + needle.startswith("\n"))
        return 1

    def _moved_to(self, found: int) -> int:
        if found < self._offset:
            return self._text.count("\n", 0, found) + 1
        self._line += self._text.count("\n", self._offset, found)
        self._offset = found
        return self._line
