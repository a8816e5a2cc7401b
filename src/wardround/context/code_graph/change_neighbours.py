"""The neighbours of the symbols that a change modifies, by the code graph of the reviewed tree."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from wardround.change.change_source import GitChangeSource
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.encoding import escape_undecodable
from wardround.context.code_graph.bounded_update import update_within
from wardround.context.code_graph.extraction import is_indexed
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import CALLABLE, Certainty, Link, Symbol, SymbolKind
from wardround.context.code_graph.tree_files import reviewed_tree
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.context.symbol_neighbours import Place, SymbolNeighbours
from wardround.errors import GraphNotBuilt

MOST_SYMBOLS = 20
MOST_PLACES = 5
"""The limits of a change and of each list, which bound the time and the size of a record."""

_DEFINITIONS = CALLABLE | {SymbolKind.CLASS}

Lines = tuple[int, int]
Item = TypeVar("Item", bound=Hashable)


def neighbours_of(
    source: GitChangeSource, change: Change, limit: UpdateLimit
) -> tuple[SymbolNeighbours, ...]:
    """Return the neighbours of the first changed symbols; none if the graph costs too much or fails."""
    try:
        with CodeGraph.open(source.repository.git_dir) as graph:
            update_within(graph, reviewed_tree(source.repository, change, source), limit)
            return find_neighbours(graph, change)
    except (GraphNotBuilt, sqlite3.DatabaseError):
        return ()


def find_neighbours(graph: CodeGraph, change: Change) -> tuple[SymbolNeighbours, ...]:
    """Return the neighbours of the first changed symbols, in the order of the files and lines."""
    changed = {file.path for file in change.files}
    found: list[SymbolNeighbours] = []
    for file in sorted(change.files, key=lambda one: one.path):
        if file.status is not FileStatus.DELETED and file.is_regular and is_indexed(file.path):
            for symbol, hunks in _changed_symbols(graph.symbols_in(file.path), file):
                found.append(_neighbours(graph, symbol, hunks, changed))
                if len(found) == MOST_SYMBOLS:
                    return tuple(found)
    return tuple(found)


def _changed_symbols(symbols: Sequence[Symbol], file: ChangedFile) -> Iterator[tuple[Symbol, list[Lines]]]:
    """Yield the innermost function or class around each hunk, with the hunks in it."""
    hunks = sorted(
        (max(one.head_start, 1), _last_line(one.head_start, one.head_length)) for one in file.hunks
    )
    by_symbol: dict[Symbol, list[Lines]] = {}
    for first, last in [(1, 10**9)] if file.is_all_added else hunks:
        for symbol in _innermost(symbols, first, last):
            lines = max(first, symbol.line), min(last, symbol.end_line)
            by_symbol.setdefault(symbol, []).append(lines)
    yield from sorted(by_symbol.items())


def _last_line(start: int, length: int) -> int:
    return start + max(length, 1) - 1


def _innermost(symbols: Sequence[Symbol], first: int, last: int) -> list[Symbol]:
    """Return the definitions that overlap some lines and contain no other one that does."""
    near = [one for one in symbols if one.line <= last and first <= one.end_line and one.kind in _DEFINITIONS]
    owners = {one.owner_name for one in near}
    return [one for one in near if one.name not in owners]


def _neighbours(
    graph: CodeGraph, symbol: Symbol, hunks: Sequence[Lines], changed: Collection[str]
) -> SymbolNeighbours:
    callees = _resolved(graph.callees(symbol))
    return SymbolNeighbours(
        escape_undecodable(symbol.path),
        symbol.line,
        symbol.end_line,
        escape_undecodable(symbol.name),
        tuple(hunks),
        callers=_first(_use(link) for link in _resolved(graph.callers(symbol))),
        callees=_first(_definition(link.symbol) for link in callees),
        siblings=_first(_definition(one) for one in graph.siblings(symbol)),
        similar=_first(_definition(one.symbol) for one in graph.similar(symbol)),
        examples=_first(_examples(graph, callees, changed)),
    )


def _examples(graph: CodeGraph, callees: Sequence[Link], changed: Collection[str]) -> Iterator[Place]:
    """Yield a use of each callee in a file that the change leaves alone."""
    for callee in _distinct(
        (link.symbol for link in callees if link.symbol.kind in _DEFINITIONS), MOST_PLACES
    ):
        uses = _resolved(graph.callers(callee))
        elsewhere = (link for link in uses if link.path not in changed and link.path != callee.path)
        yield from (_use(link) for link in islice(elsewhere, 1))


def _resolved(links: Iterable[Link]) -> list[Link]:
    return [link for link in links if link.certainty is Certainty.RESOLVED]


def _use(link: Link) -> Place:
    return _place(link.path, link.line, link.symbol.name)


def _definition(symbol: Symbol) -> Place:
    return _place(symbol.path, symbol.line, symbol.name)


def _place(path: str, line: int, name: str) -> Place:
    return Place(escape_undecodable(path), line, escape_undecodable(name))


def _first(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(_distinct(places, MOST_PLACES))


def _distinct(items: Iterable[Item], most: int) -> list[Item]:
    return list(islice(dict.fromkeys(items), most))
