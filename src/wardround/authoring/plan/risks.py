"""What a patch of the planned functions can break."""

from __future__ import annotations

import re
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
from wardround.retrieval.commit_signals import CommitIndex
from wardround.retrieval.test_discovery import contains_tests

_MOST_FUNCTIONS = 5
_MANY_CALLERS = 3
_LEAST_TOGETHER = 3
_LEAST_SHARE = 0.3
_MOST_TOGETHER = 4
_MOST_FILES = 3
_PRIVATE = re.compile(r"[/.]_(?!_)")


def risks_of(context: WriteContext, code: BaseCode, paths: Sequence[str]) -> tuple[str, ...]:
    """Return one sentence for each risk, those of the most probable functions first."""
    first = [item for item in context.functions if item.pointer.path in paths and item.pointer.symbol]
    risks: list[str] = []
    for item in distinct_symbols(first)[:_MOST_FUNCTIONS]:
        risks += _risks_of_function(code.graph, item.pointer)
    for path in paths:
        risks += _changed_together(code.past, path, paths)
    return tuple(risks)


def _risks_of_function(graph: CodeGraph, at: CodePointer) -> Iterator[str]:
    symbol = symbol_of(graph, Segment(at.path, at.first_line, at.last_line, at.symbol))
    if symbol is None:
        return
    name = f"`{symbol.name}` ({at.path}:{symbol.line})"
    calls = _calls_of(graph, symbol)
    if is_public(symbol):
        yield f"{name} is public: code outside of this repository can depend on it{_places(calls)}"
    elif len(calls) >= _MANY_CALLERS:
        yield f"{name} is used at many places{_places(calls)}"
    if not graph.tests_reaching(symbol):
        yield f"no test is linked with {name}: write one that fails before the patch"


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
        return ""
    files = sorted(set(calls))
    named = ", ".join(map(escape_undecodable, files[:_MOST_FILES]))
    counted = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
    rest = len(files) - _MOST_FILES
    return f"; {counted} in {named} and {rest} more" if rest > 0 else f"; {counted} in {named}"


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
