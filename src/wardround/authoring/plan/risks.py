"""What a patch of the planned functions can break."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from wardround.authoring.context.base_code import BaseCode
from wardround.authoring.context.conventions import symbol_of
from wardround.authoring.context.documentation import is_changelog
from wardround.authoring.context.model import ContextItem, WriteContext
from wardround.authoring.context.segments import Segment
from wardround.authoring.plan.files import distinct_symbols
from wardround.change.encoding import escape_undecodable
from wardround.context.code_graph.model import Certainty, Symbol
from wardround.retrieval.commit_signals import CommitIndex
from wardround.retrieval.test_discovery import contains_tests

_MOST_FUNCTIONS = 5
_MANY_CALLERS = 3
_LEAST_TOGETHER = 3
_LEAST_SHARE = 0.3
_MOST_TOGETHER = 4
_MOST_FILES = 3


def risks_of(context: WriteContext, code: BaseCode, paths: Sequence[str]) -> tuple[str, ...]:
    """Return one sentence for each risk, those of the most probable functions first."""
    first = [item for item in context.functions if item.pointer.path in paths and item.pointer.symbol]
    distinct = distinct_symbols(first)[:_MOST_FUNCTIONS]
    functions = [risk for item in distinct for risk in _risks_of_function(code, item)]
    return (*functions, *_changed_together(code.past, paths))


def _risks_of_function(code: BaseCode, item: ContextItem) -> Iterator[str]:
    at = item.pointer
    symbol = symbol_of(code.graph, Segment(at.path, at.first_line, at.last_line, at.symbol))
    if symbol is None:
        return
    name = f"`{symbol.name}` ({at.path}:{symbol.line})"
    callers = [link for link in code.graph.callers(symbol) if link.certainty is Certainty.RESOLVED]
    own = [link for link in callers if not contains_tests(link.path)]
    files = sorted({link.path for link in own})
    if is_public(symbol):
        yield f"{name} is public: code outside of this repository can depend on it{_places(files, own)}"
    elif len(own) >= _MANY_CALLERS:
        yield f"{name} is used at many places{_places(files, own)}"
    if not code.graph.tests_reaching(symbol):
        yield f"no test is linked with {name}: write one that fails before the patch"


def is_public(symbol: Symbol) -> bool:
    """Return True if other files can import a symbol, and its name is not private."""
    parts = [*symbol.path.split("/"), *symbol.name.split(".")]
    is_private = any(part.startswith("_") and not part.startswith("__") for part in parts)
    return symbol.exported and not is_private


def _places(files: Sequence[str], links: Sequence[object]) -> str:
    if not files:
        return ""
    named = ", ".join(map(escape_undecodable, files[:_MOST_FILES]))
    more = f" and {len(files) - _MOST_FILES} more" if len(files) > _MOST_FILES else ""
    counted = f"{len(links)} call{'' if len(links) == 1 else 's'}"
    return f"; {counted} in {named}{more}"


def _changed_together(past: Sequence[CommitIndex], paths: Sequence[str]) -> Iterator[str]:
    """Yield the files that earlier commits changed together with the planned ones."""
    for path in paths:
        own = [commit.paths for commit in past if path in commit.paths]
        named = ", ".join(f"{escape_undecodable(other)} ({count})" for other, count in _often(own, paths))
        if named:
            shown = escape_undecodable(path)
            yield f"of {len(own)} commits that changed {shown}, many changed {named}, too"


def _often(commits: Sequence[Sequence[str]], known: Sequence[str]) -> list[tuple[str, int]]:
    """Return the paths that many commits changed, most first, with the number of these commits."""
    counts = Counter(path for paths in commits for path in paths)
    least = max(_LEAST_TOGETHER, _LEAST_SHARE * len(commits))
    often = [(path, count) for path, count in counts.items() if count >= least and path not in known]
    often = [(path, count) for path, count in often if not is_changelog(path)]
    return sorted(often, key=lambda pair: (-pair[1], pair[0]))[:_MOST_TOGETHER]
