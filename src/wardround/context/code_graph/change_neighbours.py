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
    for file in sorted(change.files, key=lambda other: other.path):
        if file.status is not FileStatus.DELETED and file.is_regular and is_indexed(file.path):
            for symbol, hunks in _changed_symbols(graph.symbols_in(file.path), file):
                found.append(symbol_neighbours(graph, symbol, hunks, changed))
                if len(found) == MOST_SYMBOLS:
                    return tuple(found)
    return tuple(found)


def _changed_symbols(symbols: Sequence[Symbol], file: ChangedFile) -> Iterator[tuple[Symbol, list[Lines]]]:
    """Yield the innermost function or class around each hunk, with the hunks in it."""
    hunks = sorted(
        (max(hunk.head_start, 1), _last_line(hunk.head_start, hunk.head_length)) for hunk in file.hunks
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
    """Return the definitions that overlap the lines and contain no other definition that does."""
    near = [
        symbol
        for symbol in symbols
        if symbol.line <= last and first <= symbol.end_line and symbol.kind in _DEFINITIONS
    ]
    owners = {symbol.owner_name for symbol in near}
    return [symbol for symbol in near if symbol.name not in owners]


def symbol_neighbours(
    graph: CodeGraph, symbol: Symbol, hunks: Sequence[Lines], changed: Collection[str]
) -> SymbolNeighbours:
    """Return the neighbours of one symbol.

    Args:
        hunks: the first and last changed line of each hunk in it.
        changed: the changed files, in which no example is searched.
    """
    callees = sorted(_resolved_links(graph.callees(symbol)), key=lambda link: _importance(link, hunks))
    return SymbolNeighbours(
        escape_undecodable(symbol.path),
        symbol.line,
        symbol.end_line,
        escape_undecodable(symbol.name),
        tuple(hunks),
        callers=_first(_use(link) for link in _resolved_links(graph.callers(symbol))),
        callees=_first(_definition(link.symbol) for link in callees),
        siblings=_first(_definition(sibling) for sibling in graph.siblings(symbol)),
        similar=_first(_definition(match.symbol) for match in graph.similar(symbol)),
        examples=_first(_examples(graph, callees, changed)),
    )


def _importance(link: Link, hunks: Sequence[Lines]) -> tuple[bool, bool]:
    """Return the order of a callee: code before constants, then what changed lines use."""
    is_changed = any(first <= link.line <= last for first, last in hunks)
    return link.symbol.kind not in _DEFINITIONS, not is_changed


def _examples(graph: CodeGraph, callees: Sequence[Link], changed: Collection[str]) -> Iterator[Place]:
    """Yield a use of each callee in a file that the change does not modify."""
    for callee in _distinct(
        (link.symbol for link in callees if link.symbol.kind in _DEFINITIONS), MOST_PLACES
    ):
        uses = _resolved_links(graph.callers(callee))
        elsewhere = (link for link in uses if link.path not in changed and link.path != callee.path)
        yield from (_use(link) for link in islice(elsewhere, 1))


def _resolved_links(links: Iterable[Link]) -> list[Link]:
    return [link for link in links if link.certainty is Certainty.RESOLVED]


def _use(link: Link) -> Place:
    return _location_of(link.path, link.line, link.symbol.name)


def _definition(symbol: Symbol) -> Place:
    return _location_of(symbol.path, symbol.line, symbol.name)


def _location_of(path: str, line: int, name: str) -> Place:
    return Place(escape_undecodable(path), line, escape_undecodable(name))


def _first(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(_distinct(places, MOST_PLACES))


def _distinct(items: Iterable[Item], most: int) -> list[Item]:
    return list(islice(dict.fromkeys(items), most))
