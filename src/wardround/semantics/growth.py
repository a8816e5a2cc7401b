"""Functions that a change makes more complex, and that run often by the code graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

import msgspec

from wardround.change.change_source import GitChangeSource, decode_any_encoding
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.encoding import escape_undecodable
from wardround.context.code_graph.change_graphs import open_graphs
from wardround.context.code_graph.extraction import language_of, read_bodies
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import CALLABLE, Certainty, Link, Symbol, SymbolKind, UseKind
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.context.cost_notes import GrowthNote
from wardround.errors import GraphNotBuilt
from wardround.retrieval.test_discovery import contains_tests
from wardround.semantics.complexity import decisions, is_loop, loop_nesting
from wardround.semantics.enclosing import enclosing_lines
from wardround.semantics.trust_boundaries import is_handler

NESTED_LOOPS = 2
MANY_DECISIONS = 10
"""The cyclomatic complexity from which functions count as complex: McCabe's limit."""
MORE_DECISIONS = 5
MANY_CALLERS = 5
_MOST_CALLERS = 60
_MOST_FUNCTIONS = 200
Reader = Callable[[ChangedFile, bool], str | None]


class _Grown(msgspec.Struct, frozen=True):
    """A function with a measure at base and head."""

    symbol: Symbol
    kind: str
    base: int
    head: int


def growth_of(
    source: GitChangeSource, change: Change, read: Reader, limit: UpdateLimit
) -> tuple[GrowthNote, ...]:
    """Return the functions on a hot path that became more complex; none if the graph costs too much.

    Args:
        read: file, True for the base -> the content; None if there is none.
        limit: limits the work on the code graph.
    """
    grown = [function for file in change.files for function in _grown_functions(file, read)][:_MOST_FUNCTIONS]
    if not grown:
        return ()
    texts = _Lines(source)
    try:
        with closing(open_graphs(source.repository, change, source, limit)) as graphs:
            notes = (_note(function, graphs.head, texts) for function in grown)
            return tuple(sorted(note for note in notes if note is not None))
    except GraphNotBuilt:
        return ()


def _grown_functions(file: ChangedFile, read: Reader) -> Iterator[_Grown]:
    """Return the functions of a file whose measures grew."""
    if not _is_measured(file):
        return
    before, after = _measures(file.path, read(file, True)), _measures(file.path, read(file, False))
    for name, (symbol, loops, count) in after.items():
        if name not in before:
            continue
        _, old_loops, old_count = before[name]
        if loops > old_loops and loops >= NESTED_LOOPS:
            yield _Grown(symbol, "loops", old_loops, loops)
        elif count >= MANY_DECISIONS and count - old_count >= MORE_DECISIONS:
            yield _Grown(symbol, "decisions", old_count, count)


def _is_measured(file: ChangedFile) -> bool:
    """Return True for a modified source file without tests, in a language that is measured."""
    is_modified = file.is_regular and not file.fragment and file.base_path is not None
    if not is_modified or file.status is FileStatus.DELETED:
        return False
    return language_of(file.path) in ("python", "script") and not contains_tests(file.path)


def _measures(path: str, text: str | None) -> dict[str, tuple[Symbol, int, int]]:
    """Return the nesting of loops and the complexity of each function, by its qualified name."""
    bodies = read_bodies(path, (text or "").encode("utf-8", "surrogateescape"))
    lines = (text or "").split("\n")
    is_python = language_of(path) == "python"
    found: dict[str, tuple[Symbol, int, int]] = {}
    for symbol, tokens in zip(bodies.facts.symbols, bodies.tokens, strict=False):
        if symbol.kind in CALLABLE and symbol.kind is not SymbolKind.TEST:
            body = lines[symbol.line - 1 : symbol.end_line]
            found[symbol.name] = (symbol, loop_nesting(body, is_python=is_python), decisions(tokens))
    return found


class _Lines:
    """The lines of files at the head, each read once."""

    def __init__(self, source: GitChangeSource) -> None:
        self._source = source
        self._known: dict[str, Sequence[str]] = {}

    def of(self, path: str) -> Sequence[str]:
        """Return the lines of a file; none if it does not exist."""
        if path not in self._known:
            content = self._source.read(path, "head")
            self._known[path] = (decode_any_encoding(content or b"") or "").split("\n")
        return self._known[path]


def _note(item: _Grown, graph: CodeGraph, texts: _Lines) -> GrowthNote | None:
    symbol = item.symbol
    known = [other for other in graph.symbols_in(symbol.path) if other.name == symbol.name]
    calls = [link for link in graph.callers(known[0]) if _is_call(link)] if len(known) == 1 else []
    callers = {(link.symbol.path, link.symbol.name) for link in calls}
    path = _hot_path(symbol, calls, texts) or ("callers" if len(callers) >= MANY_CALLERS else "")
    if not path:
        return None
    return GrowthNote(
        file=escape_undecodable(symbol.path),
        line=symbol.line,
        end_line=symbol.end_line,
        name=symbol.name,
        kind=item.kind,
        base=item.base,
        head=item.head,
        callers=len(callers),
        path=path,
    )


def _is_call(link: Link) -> bool:
    is_sure = link.certainty is Certainty.RESOLVED and link.kind in (UseKind.CALL, UseKind.RENDERS)
    return is_sure and not contains_tests(link.path)


def _hot_path(symbol: Symbol, calls: Sequence[Link], texts: _Lines) -> str:
    """Return ``request`` for a handler or its callees, ``loop`` for functions called in a loop, or
    nothing.
    """
    if is_handler(texts.of(symbol.path), _definition(texts.of(symbol.path), symbol)):
        return "request"
    is_in_loop = False
    for link in calls[:_MOST_CALLERS]:
        lines = texts.of(link.path)
        if not 0 < link.line <= len(lines):
            continue
        if is_handler(lines, link.line):
            return "request"
        is_python = language_of(link.path) == "python"
        headers = (link.line, *_enclosing_lines(lines, link))
        is_in_loop = is_in_loop or any(is_loop(lines[number - 1], is_python=is_python) for number in headers)
    return "loop" if is_in_loop else ""


def _definition(lines: Sequence[str], symbol: Symbol) -> int:
    """Return the first line of a function below its decorators."""
    span = range(symbol.line, min(symbol.end_line, len(lines)) + 1)
    return next(
        (number for number in span if not lines[number - 1].lstrip().startswith(("@", ")", " "))), symbol.line
    )


def _enclosing_lines(lines: Sequence[str], link: Link) -> Iterator[int]:
    """Return the lines that enclose a call, if its own function goes."""
    first = link.symbol.line if link.symbol.name else 1
    return (number for number in enclosing_lines(lines, link.line) if number >= first)
