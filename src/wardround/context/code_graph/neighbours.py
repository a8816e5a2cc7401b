"""The order of the files that are near a change, from the evidence of all rankers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from wardround.context.code_graph.evidence import Found, scores
from wardround.context.code_graph.model import Neighbour, Symbol

WEIGHTS = {"links": 1.0, "imports": 1.0, "names": 1.0, "text": 1.0, "path": 1.0, "history": 1.0}
"""The weight of each ranker's share and place, fitted by ``evals/neighbours.py fit``."""
_HEAD = 5.0
"""The place at which the part of a score that comes from the place is half."""


def table(columns: Mapping[str, Mapping[str, float]]) -> tuple[list[str], dict[str, list[float]]]:
    """Return all candidates by path, and their strength by each ranker, 0 to 1.

    The strength is the mean of the share of the ranker's best score and of a value that falls with the place
    in its order, so that neither one large score nor a long tail decides.
    """
    paths = sorted({path for column in columns.values() for path in column})
    return paths, {
        name: [*map(_strengths(column).get, paths, [0.0] * len(paths))] for name, column in columns.items()
    }


def _strengths(column: Mapping[str, float]) -> dict[str, float]:
    best = max(column.values(), default=0.0) or 1.0
    order = sorted(column, key=lambda path: (-column[path], path))
    return {path: (column[path] / best + _HEAD / (_HEAD + place)) / 2 for place, path in enumerate(order)}


def fused(columns: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return one score for each candidate."""
    paths, rows = table(columns)
    return {
        path: round(math.fsum(WEIGHTS[name] * rows[name][at] for name in rows), 6)
        for at, path in enumerate(paths)
    }


def ranked(columns: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return the candidates, the nearest first."""
    found = fused(columns)
    return sorted(found, key=lambda path: (-found[path], path))


def nearest(
    columns: Mapping[str, Found], symbol: Callable[[str, int], Symbol], limit: int
) -> tuple[Neighbour, ...]:
    """Return the nearest files, each with its strongest evidence.

    Args:
        symbol: the symbol of a file by its number.
    """
    plain = scores(columns)
    paths, rows = table(plain)
    places = {path: at for at, path in enumerate(paths)}
    totals = fused(plain)
    found = []
    for path in sorted(totals, key=lambda path: (-totals[path], path))[:limit]:
        strengths = {
            name: WEIGHTS[name] * rows[name][places[path]] for name in columns if path in columns[name]
        }
        one = columns[max(strengths, key=lambda name: strengths[name])][path]
        found.append(Neighbour(path, symbol(path, one.number), one.relation, totals[path], one.reason))
    return tuple(found)
