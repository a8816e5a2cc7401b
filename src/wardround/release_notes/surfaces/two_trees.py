"""The declarations of a symbol in both trees of a range."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from wardround.context.surface.sides import Side, Sides
from wardround.release_notes.surfaces.declaration import ABSENT, Declaration, Reader

_SOURCE_FOLDERS = ("src", "lib")


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
        found = self._paths.get(path, (path,))
        if len(found) == 2 or (self.sides.base.has(path) and self.sides.head.has(path)):
            return found
        other = self.sides.head if self.sides.base.has(path) else self.sides.base
        moved = next((place for place in other_places(path) if other.has(place)), None)
        if moved is None:
            return found
        return (path, moved) if other is self.sides.head else (moved, path)

    def base(self, paths: Sequence[str], read: Reader) -> Declaration:
        """Return the declaration in the first of some files that the base has."""
        return _declaration(self.sides.base, paths, read)

    def head(self, paths: Sequence[str], read: Reader) -> Declaration:
        """Return the declaration in the last of some files that the head has."""
        return _declaration(self.sides.head, paths[::-1], read)


def other_places(path: str) -> Iterator[str]:
    """Yield where a module is before or after its package moves into a folder for sources."""
    for folder in _SOURCE_FOLDERS:
        yield f"{folder}/{path}"
        if path.startswith(f"{folder}/"):
            yield path[len(folder) + 1 :]


def _declaration(side: Side, paths: Sequence[str], read: Reader) -> Declaration:
    text = next((text for path in paths if (text := side.read(path)) is not None), None)
    return ABSENT if text is None else read(text)
