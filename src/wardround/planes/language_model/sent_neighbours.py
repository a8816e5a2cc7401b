"""The code around the changed symbols as a plane sees it: one line of each neighbour, without secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from wardround.context.symbol_neighbours import Place, SymbolNeighbours
from wardround.findings import Plane
from wardround.planes.language_model.hunks import LONGEST_LINE

RELATIONS = {
    Plane.CONTRACT: ("callers",),
    Plane.SEMANTIC: ("callees", "examples", "similar"),
    Plane.PERF: ("callers",),
}
"""The lists of neighbours that each plane sees; the others see none."""
MOST_SENT = 30
_BUDGET_SHARE = 4
"""Neighbours get at most this part of the budget, so that they cannot displace the change."""

LineOf = Callable[[str, int], str]
"""Path and line -> the text of the line without secrets; empty if there is none."""


def paths_of(neighbours: Sequence[SymbolNeighbours]) -> set[str]:
    """Return the files whose lines a plane may see."""
    relations = {relation for some in RELATIONS.values() for relation in some}
    return {place.path for _, _, place in _places(neighbours, sorted(relations))}


def sent_neighbours(
    plane: Plane,
    neighbours: Sequence[SymbolNeighbours],
    line_of: LineOf,
    name: Callable[[str], str],
    rest: int,
) -> tuple[dict[str, Any], ...]:
    """Return the neighbours that a plane sees, within their part of the budget.

    Args:
        name: returns a path or the name of a symbol as it is sent.
        rest: the characters of the input.
    """
    rest //= _BUDGET_SHARE
    found: list[dict[str, Any]] = []
    for changed, relation, place in _places(neighbours, RELATIONS.get(plane, ())):
        text = line_of(place.path, place.line).strip()[:LONGEST_LINE]
        if not text or len(found) == MOST_SENT:
            continue
        values = {
            "of": name(changed.symbol),
            "relation": relation.removesuffix("s"),
            "file": name(place.path),
            "line": place.line,
            "symbol": name(place.symbol),
            "text": text,
        }
        rest -= len(msgspec.json.encode(values)) + 1
        if rest < 0:
            break
        found.append(values)
    return tuple(found)


def _places(
    neighbours: Sequence[SymbolNeighbours], relations: Sequence[str]
) -> Iterator[tuple[SymbolNeighbours, str, Place]]:
    for one in neighbours:
        for relation in relations:
            yield from ((one, relation, place) for place in getattr(one, relation))
