"""Searches in the code graph of the reviewed tree: the tests of symbols, and the places of names."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from wardround.change.change_source import GitChangeSource
from wardround.change.diff import Change
from wardround.change.encoding import escape_undecodable
from wardround.context.code_graph.bounded_update import update_within
from wardround.context.code_graph.extraction import is_indexed
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import Certainty, Symbol
from wardround.context.code_graph.tree_files import reviewed_tree
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.context.symbol_neighbours import Place, SymbolNeighbours
from wardround.context.tree_lookup import MOST_USES, NamedPlaces, TreeLookup, nearest, nearest_definitions
from wardround.errors import GraphNotBuilt

_MOST_TESTS = 3
_MOST_FILES = 12
"""Number of files that define a name, above which it is too common to identify one of them."""


class CodeLookup:
    """Searches in the code graph of a change, which is open during each search only.

    Args:
        otherwise: finds the names that the graph cannot have.
        limit: limits the work on the code graph.
    """

    def __init__(
        self, source: GitChangeSource, change: Change, limit: UpdateLimit, otherwise: TreeLookup
    ) -> None:
        self._source = source
        self._change = change
        self._limit = limit
        self._otherwise = otherwise

    def tests_of(self, symbols: Sequence[SymbolNeighbours]) -> dict[SymbolNeighbours, tuple[Place, ...]]:
        """Return the nearest tests that reach symbols over resolved uses; none without a graph."""
        try:
            with self._open_graph() as graph:
                return {symbol: tuple(_tests(graph, symbol)) for symbol in symbols}
        except (GraphNotBuilt, sqlite3.DatabaseError):
            return {}

    def find(self, names: Sequence[str], near: Collection[str]) -> Mapping[str, NamedPlaces]:
        """Find names; names in files that the graph does not cover are searched as words."""
        unread = [path for path in near if not is_indexed(path)]
        try:
            with self._open_graph() as graph:
                found = {name: _find_in_graph(graph, name, near) for name in names}
        except (GraphNotBuilt, sqlite3.DatabaseError):
            return self._otherwise.find(names, near)
        found = {name: locations for name, locations in found.items() if locations.definitions}
        rest = [name for name in names if name not in found] if unread else []
        return {**found, **self._otherwise.find(rest, unread)}

    @contextmanager
    def _open_graph(self) -> Iterator[CodeGraph]:
        repository = self._source.repository
        with CodeGraph.open(repository.git_dir) as graph:
            update_within(graph, reviewed_tree(repository, self._change, self._source), self._limit)
            yield graph


def _tests(graph: CodeGraph, changed: SymbolNeighbours) -> Iterator[Place]:
    """Yield the nearest tests of a changed symbol."""
    for symbol in graph.symbols_in(changed.path):
        if (symbol.line, symbol.name) == (changed.line, changed.symbol):
            reaches = graph.tests_reaching(symbol, is_resolved=True)
            tests = [reach.test for reach in reaches if reach.test.name]
            yield from map(_definition, tests[:_MOST_TESTS])


def _find_in_graph(graph: CodeGraph, name: str, near: Collection[str]) -> NamedPlaces:
    """Return the definitions and uses of a name; none if too many files define it."""
    files = graph.files_defining(name)
    if not 0 < len(files) <= _MOST_FILES:
        return NamedPlaces()
    symbols = [symbol for path in files for symbol in graph.symbols_in(path)]
    by_place = {_definition(symbol): symbol for symbol in symbols if symbol.own_name == name}
    definitions = nearest_definitions(by_place, near)
    defined = [by_place[location] for location in definitions]
    return NamedPlaces(definitions, nearest(_uses(graph, defined), near, MOST_USES))


def _uses(graph: CodeGraph, symbols: Iterable[Symbol]) -> list[Place]:
    """Return the calls of symbols: those that are resolved, or all others."""
    links = [link for symbol in symbols for link in graph.callers(symbol)]
    resolved = [link for link in links if link.certainty is Certainty.RESOLVED]
    return [_location_of(link.path, link.line, link.symbol.name) for link in resolved or links]


def _definition(symbol: Symbol) -> Place:
    return _location_of(symbol.path, symbol.line, symbol.name)


def _location_of(path: str, line: int, name: str) -> Place:
    return Place(escape_undecodable(path), line, escape_undecodable(name))
