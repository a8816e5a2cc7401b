"""Searches in the reviewed tree: the definitions and uses of names, and the tests of symbols."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Protocol

import msgspec

from wardround.context.symbol_neighbours import Place, SymbolNeighbours
from wardround.retrieval.test_discovery import contains_tests

MOST_DEFINITIONS = 2
MOST_USES = 3


class NamedPlaces(msgspec.Struct, frozen=True):
    """Some of the definitions and uses of a name, the nearest first."""

    definitions: tuple[Place, ...] = ()
    uses: tuple[Place, ...] = ()


class TreeLookup(Protocol):
    """Searches in the reviewed tree."""

    def tests_of(self, symbols: Sequence[SymbolNeighbours]) -> Mapping[SymbolNeighbours, tuple[Place, ...]]:
        """Return the nearest tests that reach each symbol, if they are known."""

    def find(self, names: Sequence[str], near: Collection[str]) -> Mapping[str, NamedPlaces]:
        """Return the places of the names that the tree defines or uses.

        Args:
            near: the files from which the distance of a place counts.
        """


def nearest(places: Iterable[Place], near: Collection[str], most: int) -> tuple[Place, ...]:
    """Return the definitions nearest to the files by the folders between them, tests last, one per symbol."""
    by_symbol: dict[tuple[str, str], Place] = {}
    for place in sorted(set(places), key=lambda place: _order(place, near)):
        by_symbol.setdefault((place.path, place.symbol), place)
    return tuple(by_symbol.values())[:most]


def nearest_definitions(places: Iterable[Place], near: Collection[str]) -> tuple[Place, ...]:
    """Return the definitions of a name to which files most likely refer: their own ones, else the nearest."""
    found = nearest(places, near, MOST_DEFINITIONS)
    return tuple(location for location in found if location.path in near) or found


def _order(place: Place, near: Collection[str]) -> tuple[bool, int, Place]:
    return contains_tests(place.path), _distance(place.path, near), place


def _distance(path: str, near: Collection[str]) -> int:
    return min((_steps(path, other) for other in near), default=0)


def _steps(path: str, other: str) -> int:
    """Return the number of folders between two files, 0 for the same one."""
    if path == other:
        return 0
    ours, theirs = PurePosixPath(path).parts[:-1], PurePosixPath(other).parts[:-1]
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))
    return 1 + len(ours) + len(theirs) - 2 * len(list(pairs))
