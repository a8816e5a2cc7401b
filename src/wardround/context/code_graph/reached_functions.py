"""Find the tests that reach the changed functions, in the code graphs of base and head."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing

import msgspec

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.encoding import escape_undecodable
from wardround.context.change_tests import ReachedFunction, ReachingTest
from wardround.context.code_graph.change_graphs import ChangeGraphs, open_graphs
from wardround.context.code_graph.extraction import language_of
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import CALLABLE, Certainty, Reach, Symbol, SymbolKind
from wardround.context.code_graph.own_code import OwnCode, own_code
from wardround.context.code_graph.symbol_moves import SymbolMove
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.errors import GraphNotBuilt

Reader = Callable[[ChangedFile, bool], str | None]
"""File, True for the base -> the content; None if there is none."""
MOST_FUNCTIONS = 60
"""Changed functions whose tests are searched, those with the most tokens first."""
MOST_TESTS = 5
"""Tests of a function that a record lists."""
_MOST_BASE_TESTS = 400
_KINDS = frozenset({*CALLABLE, SymbolKind.CLASS}) - {SymbolKind.TEST}


class ChangedFunction(msgspec.Struct, frozen=True):
    """A changed symbol at the head, and at the base if it was there.

    Attributes:
        size: the number of its tokens.
    """

    head: Symbol
    base: Symbol | None
    size: int


class ReachedFunctions(msgspec.Struct, frozen=True):
    """The changed functions with their tests.

    Attributes:
        base_tests: a test of the base -> the changed functions that it reached there, ``path::name``.
    """

    functions: tuple[ReachedFunction, ...] = ()
    omitted: int = 0
    problem: str = ""
    base_tests: dict[Symbol, tuple[str, ...]] = {}


def changed_functions(
    files: Iterable[ChangedFile], read: Reader, moves: Sequence[SymbolMove]
) -> tuple[ChangedFunction, ...]:
    """Return the functions and classes that a change adds or edits, the largest first.

    Layout, comments, documentation and annotations are no edit, nor is a move.
    """
    moved = {(move.path, move.name) for move in moves if move.is_pure}
    found = [
        function
        for file in files
        if file.status is not FileStatus.DELETED and not file.fragment and language_of(file.path) != "sql"
        for function in _changed_functions(_code(file.path, read(file, False)), _base_code(file, read))
        if (function.head.path, function.head.name) not in moved
    ]
    return tuple(sorted(found, key=lambda function: (-function.size, function.head)))


def _base_code(file: ChangedFile, read: Reader) -> OwnCode:
    return {} if file.base_path is None else _code(file.base_path, read(file, True))


def _code(path: str, text: str | None) -> OwnCode:
    return {} if text is None else own_code(path, text.encode("utf-8", "surrogateescape"))


def _changed_functions(head: OwnCode, base: OwnCode) -> Iterable[ChangedFunction]:
    for name, (symbol, tokens) in head.items():
        before = base.get(name)
        if name and symbol.kind in _KINDS and (before is None or before[1] != tokens):
            yield ChangedFunction(symbol, None if before is None else before[0], len(tokens))


def reached_functions(
    source: ChangeSource,
    change: Change,
    functions: Sequence[ChangedFunction],
    limit: UpdateLimit,
    *,
    with_base: bool,
) -> ReachedFunctions:
    """Return the tests that reach some functions.

    Args:
        limit: limits the work on the code graphs.
        with_base: search the tests of the base too.
    """
    if not functions:
        return ReachedFunctions()
    git_source = source.in_repository
    if git_source is None:
        return ReachedFunctions(problem="a diff without a repository has no code graph")
    try:
        with closing(open_graphs(git_source.repository, change, git_source, limit)) as graphs:
            return _reach(graphs, functions, with_base=with_base)
    except GraphNotBuilt as problem:
        return ReachedFunctions(problem=str(problem))
    except sqlite3.DatabaseError:
        return ReachedFunctions(problem="the code graph cannot be read")


def _reach(
    graphs: ChangeGraphs, functions: Sequence[ChangedFunction], *, with_base: bool
) -> ReachedFunctions:
    searched = functions[:MOST_FUNCTIONS]
    reached = [
        _reached_function(function.head, graphs.head.tests_reaching(function.head)) for function in searched
    ]
    return ReachedFunctions(
        functions=tuple(sorted(reached)),
        omitted=len(functions) - len(searched),
        base_tests=_base_tests(graphs.base, searched) if with_base else {},
    )


def _reached_function(symbol: Symbol, tests: Sequence[Reach]) -> ReachedFunction:
    listed = tuple(
        ReachingTest(
            escape_undecodable(test.test.path),
            test.test.line,
            escape_undecodable(test.test.name),
            test.distance,
            test.certainty is Certainty.RESOLVED,
        )
        for test in tests[:MOST_TESTS]
    )
    name, path = escape_undecodable(symbol.name), escape_undecodable(symbol.path)
    return ReachedFunction(
        path, symbol.line, symbol.end_line, name, symbol.kind.value, listed, len(tests) - len(listed)
    )


def _base_tests(graph: CodeGraph, functions: Sequence[ChangedFunction]) -> dict[Symbol, tuple[str, ...]]:
    found: dict[Symbol, list[str]] = {}
    for function in functions:
        tests = () if function.base is None else graph.tests_reaching(function.base)
        for reach in tests[:_MOST_BASE_TESTS]:
            name = escape_undecodable(f"{function.head.path}::{function.head.name}")
            if reach.test.name:
                found.setdefault(reach.test, []).append(name)
    return {test: tuple(sorted(set(names))[:MOST_TESTS]) for test, names in found.items()}
