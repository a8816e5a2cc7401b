"""How the same thing is done elsewhere in the repository: similar code, registrations, and the changelog."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice, starmap

from wardround.authoring.context.base_code import BaseCode
from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.budget import Evidence, Span
from wardround.authoring.context.documentation import is_changelog
from wardround.authoring.context.model import SimilarCommit
from wardround.authoring.context.segments import Segment
from wardround.authoring.context.task_words import TaskWords
from wardround.change.encoding import escape_undecodable
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import CALLABLE, Link, Symbol, SymbolKind
from wardround.retrieval import bm25
from wardround.retrieval.commit_signals import CommitIndex
from wardround.retrieval.file_search import is_accompanying_file
from wardround.text.redaction import redact_secrets
from wardround.text.search_terms import parts

_MOST = 8
_MOST_FOR_EACH = 2
_MOST_REGISTRATIONS = 3
_AROUND = 3
"""Lines before and after a registration."""
_MOST_COMMITS = 3
_RECENT = 100
_LEAST_SHARE = 0.1
"""The share of recent commits that change a file, from which changing it is a convention."""
_CHANGELOG_LINES = 20
_MOST_PATHS = 12
_LEAST_WORDS = 2
"""Words of a name that is not too common."""
_CODE = CALLABLE | {SymbolKind.CLASS}


def similar_code(graph: CodeGraph, first: Sequence[Segment]) -> list[Evidence]:
    """Return the functions that are written like those of a task, and the places that register them.

    Args:
        first: the functions of the task, best first.
    """
    own = frozenset((segment.path, segment.symbol) for segment in first)
    found: dict[Span, tuple[str, ...]] = {}
    for symbol in filter(None, map(partial(symbol_of, graph), first)):
        examples = islice(_alike(graph, symbol, own), _MOST_FOR_EACH)
        registrations = islice(_registrations(graph, symbol), _MOST_REGISTRATIONS)
        for span, reason in chain(examples, registrations):
            if not any(map(span.overlaps, found)):
                found[span] = (reason,)
    return list(found.items())[:_MOST]


def symbol_of(graph: CodeGraph, segment: Segment) -> Symbol | None:
    """Return the symbol of a segment; None if the graph does not read its language."""
    for symbol in graph.symbols_in(segment.path):
        is_inside = segment.first_line <= symbol.line <= segment.last_line
        if is_inside and symbol.own_name == segment.symbol.rpartition(".")[2]:
            return symbol
    return None


def _alike(graph: CodeGraph, symbol: Symbol, own: frozenset[tuple[str, str]]) -> Iterator[tuple[Span, str]]:
    for match in graph.similar(symbol):
        if _is_other(match.symbol, own):
            share = round(100 * match.similarity)
            yield span_of(match.symbol), f"written like {symbol.name}, {share}% of its tokens"
    for sibling in graph.siblings(symbol):
        if _is_other(sibling, own) and _is_namesake(sibling, symbol):
            yield span_of(sibling), f"has the name of {symbol.name} in another file"


def _is_namesake(symbol: Symbol, other: Symbol) -> bool:
    """Return True for symbols of one name in two files; a name of one word is too common."""
    if symbol.path == other.path or symbol.own_name != other.own_name:
        return False
    return len(parts(other.own_name)) >= _LEAST_WORDS


def _is_other(symbol: Symbol, own: frozenset[tuple[str, str]]) -> bool:
    if symbol.kind not in _CODE or is_accompanying_file(symbol.path):
        return False
    return (symbol.path, symbol.name) not in own


def _registrations(graph: CodeGraph, symbol: Symbol) -> Iterator[tuple[Span, str]]:
    """Yield the uses of a symbol outside of functions in other files, as in a table of commands."""
    is_common = len(parts(symbol.own_name)) < _LEAST_WORDS
    if is_common or symbol.own_name.startswith("_") or symbol.kind is SymbolKind.METHOD:
        return
    for link in graph.uses_of(symbol.own_name):
        if _is_registration(link, symbol):
            yield _around(graph, link), f"registers {symbol.own_name}"


def _is_registration(link: Link, symbol: Symbol) -> bool:
    is_elsewhere = link.path != symbol.path and not is_accompanying_file(link.path)
    return is_elsewhere and link.symbol.kind in (SymbolKind.MODULE, SymbolKind.CONSTANT)


def _around(graph: CodeGraph, link: Link) -> Span:
    last = graph.facts(link.path).symbols[0].end_line
    return Span(link.path, max(link.line - _AROUND, 1), min(link.line + _AROUND, max(last, link.line)))


def span_of(symbol: Symbol) -> Span:
    """Return the lines of a symbol."""
    return Span(symbol.path, symbol.line, symbol.end_line, symbol.name)


def changelogs(tree: BaseTree, past: Sequence[CommitIndex]) -> list[Evidence]:
    """Return the beginning of the changelog that recent commits change, if they do."""
    recent = [commit.paths for commit in past[:_RECENT] if commit.paths]
    counts = Counter(path for path in chain.from_iterable(recent) if is_changelog(path))
    for path, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        lines = tree.lines(path)
        if lines and count >= _LEAST_SHARE * len(recent):
            reason = f"{count} of the last {len(recent)} commits changed it"
            return [(Span(path, 1, min(_CHANGELOG_LINES, len(lines))), (reason,))]
    return []


def similar_commits(words: TaskWords, code: BaseCode) -> tuple[SimilarCommit, ...]:
    """Return the earlier commits whose messages share the rarest words with a task.

    None if this clone lacks some of the commits, which leaves no way to tell the others apart.
    """
    commits, past = code.commits, code.past
    if len(commits) != len(past):
        return ()
    scores = bm25.scores(words.terms, [commit.words for commit in past])
    order = sorted(range(len(past)), key=lambda at: (-round(scores[at], 6), at))
    first = [commits[at] for at in order[:_MOST_COMMITS] if scores[at] > 0]
    return tuple(starmap(_similar_commit, code.tree.repository.commits_touching(first)))


def _similar_commit(commit: str, message: str, paths: Sequence[str]) -> SimilarCommit:
    subject = redact_secrets(message.split("\n", 1)[0])
    shown = sorted(map(escape_undecodable, paths))[:_MOST_PATHS]
    return SimilarCommit(commit, escape_undecodable(subject), tuple(shown))
