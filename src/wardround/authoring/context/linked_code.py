"""The callers and callees of the first functions of a task, which the words of the task do not name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.code_ranking import RankedSegment
from wardround.authoring.context.conventions import symbol_of
from wardround.authoring.context.segments import Segment, segments
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import CALLABLE, Certainty, Symbol
from wardround.retrieval.test_discovery import contains_tests

_MOST_LINKS = 3
"""Callers, and callees, of each function."""
_AFTER = 12
"""Segments by words before the first linked one."""


def linked_segments(
    graph: CodeGraph, tree: BaseTree, first: Sequence[RankedSegment], ranked: Sequence[RankedSegment]
) -> list[RankedSegment]:
    """Return the ranked segments with the code that calls the first of them, or that they call."""
    known = {found.segment for found in ranked[:_AFTER]}
    added: dict[Segment, RankedSegment] = {}
    for found in first:
        for segment, reason in _links(graph, tree, found.segment):
            if segment not in known:
                added.setdefault(segment, RankedSegment(segment, 0.0, (reason,)))
    rest = [found for found in ranked[_AFTER:] if found.segment not in added]
    return [*ranked[:_AFTER], *added.values(), *rest]


def _links(graph: CodeGraph, tree: BaseTree, segment: Segment) -> Iterator[tuple[Segment, str]]:
    symbol = symbol_of(graph, segment)
    if symbol is None:
        return
    callers = (link.symbol for link in graph.callers(symbol) if link.certainty is Certainty.RESOLVED)
    callees = (link.symbol for link in graph.callees(symbol) if link.certainty is Certainty.RESOLVED)
    for caller in islice(_code(callers, symbol), _MOST_LINKS):
        yield from _segment_of(tree, caller, f"calls {symbol.name}")
    for callee in islice(_code(callees, symbol), _MOST_LINKS):
        yield from _segment_of(tree, callee, f"called by {symbol.name}")


def _code(symbols: Iterator[Symbol], own: Symbol) -> Iterator[Symbol]:
    """Yield the distinct functions outside of tests."""
    for symbol in dict.fromkeys(symbols):
        if symbol.kind in CALLABLE and symbol != own and not contains_tests(symbol.path):
            yield symbol


def _segment_of(tree: BaseTree, symbol: Symbol, reason: str) -> Iterator[tuple[Segment, str]]:
    for segment in segments(symbol.path, tree.text(symbol.path) or ""):
        if segment.first_line <= symbol.line <= segment.last_line:
            yield segment, reason
