"""The declarations of a symbol in both trees of a range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from wardround.context.surface.sides import Side, Sides
from wardround.release_notes.declaration import ABSENT, Declaration, Reader


@dataclass(frozen=True)
class TwoTrees:
    """Base and head of a range, with the names of each file in both."""

    sides: Sides

    @cached_property
    def _paths(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for base, head in self.sides.files:
            paths = tuple(dict.fromkeys(path for path in (base, head) if path is not None))
            for path in paths:
                found.setdefault(path, paths)
        return found

    def paths(self, path: str) -> tuple[str, ...]:
        """Return the paths of a file at base and head; one, if they are the same or the other has none."""
        return self._paths.get(path, (path,))

    def base(self, paths: Sequence[str], read: Reader) -> Declaration:
        """Return the declaration in the first of some files that the base has."""
        return _declaration(self.sides.base, paths, read)

    def head(self, paths: Sequence[str], read: Reader) -> Declaration:
        """Return the declaration in the last of some files that the head has."""
        return _declaration(self.sides.head, paths[::-1], read)


def _declaration(side: Side, paths: Sequence[str], read: Reader) -> Declaration:
    text = next((text for path in paths if (text := side.read(path)) is not None), None)
    return ABSENT if text is None else read(text)
