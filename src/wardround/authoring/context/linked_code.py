"""The callers and callees of the first functions of a task, which the words of the task do not name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.code_ranking import RankedSegment
from wardround.authoring.context.conventions import symbol_of
from wardround.authoring.context.segments import Segment, segments
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import CALLABLE, Certainty, Link, Symbol
from wardround.retrieval.test_discovery import contains_tests

_MOST_LINKS = 3
"""Callers, and callees, of each function."""
_MOST_LINKED = 8
"""Segments whose callers and callees are added."""
_BEFORE = 12
"""Segments by words before the first linked one."""


def linked_segments(graph: CodeGraph, tree: BaseTree, ranked: Sequence[RankedSegment]) -> list[RankedSegment]:
    """Return ranked segments with the code that calls the first of them, or that they call."""
    links = CodeLinks(graph, tree)
    linked: list[RankedSegment] = []
    for found in ranked[:_MOST_LINKED]:
        linked += links.of(found.segment)
    merged: dict[Segment, RankedSegment] = {}
    for found in (*ranked[:_BEFORE], *linked, *ranked[_BEFORE:]):
        merged.setdefault(found.segment, found)
    return list(merged.values())


class CodeLinks:
    """The callers and callees of segments, as segments."""

    def __init__(self, graph: CodeGraph, tree: BaseTree) -> None:
        self._graph = graph
        self._tree = tree

    def of(self, segment: Segment) -> Iterator[RankedSegment]:
        """Yield the first callers of a function, and the first functions that it calls."""
        symbol = symbol_of(self._graph, segment)
        if symbol is None:
            return
        yield from self._segments(self._graph.callers(symbol), symbol, f"calls {symbol.name}")
        yield from self._segments(self._graph.callees(symbol), symbol, f"called by {symbol.name}")

    def _segments(self, links: Iterable[Link], own: Symbol, reason: str) -> Iterator[RankedSegment]:
        symbols = dict.fromkeys(link.symbol for link in links if link.certainty is Certainty.RESOLVED)
        symbols.pop(own, None)
        for symbol in islice(filter(_is_code, symbols), _MOST_LINKS):
            segment = self._segment_of(symbol)
            if segment is not None:
                yield RankedSegment(segment, 0.0, (reason,))

    def _segment_of(self, symbol: Symbol) -> Segment | None:
        found = segments(symbol.path, self._tree.text(symbol.path) or "")
        return next((segment for segment in found if segment.contains(symbol.path, symbol.line)), None)


def _is_code(symbol: Symbol) -> bool:
    return symbol.kind in CALLABLE and not contains_tests(symbol.path)
