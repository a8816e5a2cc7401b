"""The code that a patch of the planned functions can break."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from wardround.authoring.context.base_code import BaseCode
from wardround.authoring.context.conventions import symbol_of
from wardround.authoring.context.documentation import is_changelog
from wardround.authoring.context.model import WriteContext
from wardround.authoring.context.segments import Segment
from wardround.authoring.plan.files import distinct_symbols
from wardround.authoring.stages import CodePointer
from wardround.change.encoding import escape_undecodable
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import Certainty, Symbol
from wardround.lazy import LazyPattern
from wardround.retrieval.commit_signals import CommitIndex
from wardround.retrieval.test_discovery import contains_tests

_MOST_FUNCTIONS = 5
_MANY_CALLERS = 3
_LEAST_TOGETHER = 3
_LEAST_SHARE = 0.3
_MOST_TOGETHER = 4
_MOST_FILES = 3
_PRIVATE = LazyPattern(r"[/.]_(?!_)")


def risks_of(context: WriteContext, code: BaseCode, paths: Sequence[str]) -> tuple[str, ...]:
    """Return one sentence for each kind of risk, with the functions or files that it is about."""
    first = [item for item in context.functions if item.pointer.path in paths and item.pointer.symbol]
    risks = FunctionRisks(code.graph)
    for item in distinct_symbols(first)[:_MOST_FUNCTIONS]:
        risks.add(item.pointer)
    together = (_changed_together(code.past, path, paths) for path in paths)
    return (*risks.sentences(), *chain.from_iterable(together))


class FunctionRisks:
    """The functions of a plan that are public, much used, or linked with no test."""

    def __init__(self, graph: CodeGraph) -> None:
        self._graph = graph
        self._public: list[str] = []
        self._used: list[str] = []
        self._untested: list[str] = []

    def add(self, at: CodePointer) -> None:
        """Add the function of a pointer, if the graph has it."""
        symbol = symbol_of(self._graph, Segment(at.path, at.first_line, at.last_line, at.symbol))
        if symbol is None:
            return
        name = f"`{symbol.name}`"
        calls = _calls_of(self._graph, symbol)
        if is_public(symbol):
            self._public.append(f"{name} ({_places(calls)})")
        elif len(calls) >= _MANY_CALLERS:
            self._used.append(f"{name} ({_places(calls)})")
        if not self._graph.tests_reaching(symbol):
            self._untested.append(f"{name} ({at.path}:{symbol.line})")

    def sentences(self) -> Iterator[str]:
        """Yield the risks."""
        if self._public:
            yield f"public, so that other repositories can depend on them: {', '.join(self._public)}"
        if self._used:
            yield f"used at many places: {', '.join(self._used)}"
        if self._untested:
            yield f"linked with no test; write one that fails first: {', '.join(self._untested)}"


def _calls_of(graph: CodeGraph, symbol: Symbol) -> list[str]:
    """Return the file of each resolved use outside of tests."""
    links = [link for link in graph.callers(symbol) if link.certainty is Certainty.RESOLVED]
    return [link.path for link in links if not contains_tests(link.path)]


def is_public(symbol: Symbol) -> bool:
    """Return True if other files can import a symbol, and its name is not private."""
    return symbol.exported and _PRIVATE.search(f"/{symbol.path}/{symbol.name}") is None


def _places(calls: Sequence[str]) -> str:
    """Return the number of calls and their first files."""
    if not calls:
        return "no call in this repository"
    files = sorted(set(calls))
    named = ", ".join(map(escape_undecodable, files[:_MOST_FILES]))
    counted = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
    rest = len(files) - _MOST_FILES
    return f"{counted} in {named} and {rest} more" if rest > 0 else f"{counted} in {named}"


def _changed_together(past: Sequence[CommitIndex], path: str, paths: Sequence[str]) -> Iterator[str]:
    """Yield the files that earlier commits changed together with a planned one."""
    own = [commit.paths for commit in past if path in commit.paths]
    counts = Counter(chain.from_iterable(own))
    least = max(_LEAST_TOGETHER, _LEAST_SHARE * len(own))
    often = [(-count, other) for other, count in counts.items() if count >= least and other not in paths]
    named = [
        f"{escape_undecodable(other)} ({-negative})"
        for negative, other in sorted(often)
        if not is_changelog(other)
    ]
    if named:
        first = ", ".join(named[:_MOST_TOGETHER])
        yield f"of {len(own)} commits that changed {escape_undecodable(path)}, many changed {first}, too"
