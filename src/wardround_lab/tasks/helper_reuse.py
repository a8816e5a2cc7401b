"""Choices of the existing function that replaced other code.

A commit that shortens or deletes a function and calls another existing one instead shows that the two have
the same purpose. The query is the replaced code; the candidates are functions of the tree before the commit,
those with the most words in common and some others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wardround.context.code_graph.model import Symbol
from wardround.context.code_graph.symbol_text import normalise
from wardround.lazy import LazyPattern
from wardround.text.search_terms import count_words
from wardround.text.tokens import KEYWORDS
from wardround.training_tasks import Changed, Choice, Commit, History
from wardround_lab.tasks.source_functions import (
    PATTERNS,
    SourceFile,
    SourceFunction,
    SourceTrees,
    digest,
    incorrect_candidates,
    is_source,
)

_MESSAGE = LazyPattern(
    r"(?i)\b(?:re-?us|dedup|de-dup|duplicat|helper|exist|instead|refactor|simplif|clean|util|common|shared|replac"
    r"|extract|consolidat|unif|redundan|centrali|switch to|move to|use[sd]? )"
)
"""Words of the messages of commits that replace code."""
_FILES_OF_A_SWEEP = 20
"""Maximum number of source files of a commit; a larger one moves code."""
_PER_COMMIT = 4
_PER_HELPER = 2
"""Maximum number of choices of one commit, and of one helper in it."""
_LEAST_TOKENS = 30
_LEAST_HELPER = 12
_LEAST_REMOVED = 20
"""Tokens by which a function becomes shorter."""
_SHORTENED = 0.75
_REPLACED = 0.5
"""Shares of its tokens: below the first a function became shorter, below the second it was replaced."""
_LEAST_LINES = 4
_LEAST_SHARED = 3
_LEAST_SHARE = 0.2
"""Search terms that the replaced code and the helper have in common, also of all of the shorter one."""
_LEAST_HELPER_SHARE = 0.25
"""The size of a helper divided by that of the replaced code: a smaller one replaced at most a part of it."""


@dataclass(frozen=True)
class _Replaced:
    """Code that a commit removed, and the names that it calls instead."""

    path: str
    name: str
    query: str
    size: int
    calls: frozenset[str]


def mine_reuse_choices(history: History) -> Iterator[Choice]:
    """Yield for each replaced piece of code the choice of the function that replaced it."""
    trees = SourceTrees(history)
    for commit in history.commits(PATTERNS):
        changes = [change for change in commit.changes if is_source(change.path)]
        is_reuse = _MESSAGE.search(f"{commit.subject}\n{commit.body}") is not None
        if is_reuse and commit.parent is not None and 0 < len(changes) <= _FILES_OF_A_SWEEP:
            yield from _choices(history, commit, _Change.of(changes, trees), trees)


def _choices(
    history: History, commit: Commit, change: _Change | None, trees: SourceTrees
) -> Iterator[Choice]:
    found = list(change.replaced_functions()) if change is not None else []
    if change is None or not found or commit.parent is None:
        return
    functions = trees.functions(commit.parent)
    by_name: dict[str, list[tuple[str, SourceFunction]]] = {}
    for path, function in functions:
        by_name.setdefault(function.symbol.own_name, []).append((path, function))
    helpers: Counter[str] = Counter()
    for replaced in found:
        helper = _helper(replaced, by_name, change)
        if helper is None or helpers[helper.text] >= _PER_HELPER or helpers.total() >= _PER_COMMIT:
            continue
        helpers[helper.text] += 1
        choice = _choice(history, commit, replaced, helper, functions)
        if choice is not None:
            yield choice


def _helper(
    replaced: _Replaced, by_name: dict[str, list[tuple[str, SourceFunction]]], change: _Change
) -> SourceFunction | None:
    """Return the only function that can be the replacement; None if there is none, or more than one."""
    words = count_words(replaced.query)
    found = []
    for name in sorted(replaced.calls):
        known = [
            candidate
            for path, candidate in by_name.get(name, ())
            if not (path == replaced.path and candidate.symbol.name == replaced.name)
        ]
        if len(known) == 1 and change.keeps(known[0].symbol) and _is_plausible(replaced, words, known[0]):
            found.append(known[0])
    return found[0] if len(found) == 1 else None


def _is_plausible(replaced: _Replaced, words: Counter[str], helper: SourceFunction) -> bool:
    """Return True if a helper can have the purpose of the replaced code, by its size and its words."""
    if helper.symbol.size < max(_LEAST_HELPER, _LEAST_HELPER_SHARE * replaced.size):
        return False
    item, other = words.keys() - KEYWORDS, helper.words.keys() - KEYWORDS
    shared = len(item & other)
    is_alike = shared >= max(_LEAST_SHARED, _LEAST_SHARE * min(len(item), len(other)))
    return is_alike and helper.text != replaced.query


def _choice(
    history: History,
    commit: Commit,
    replaced: _Replaced,
    helper: SourceFunction,
    functions: Sequence[tuple[str, SourceFunction]],
) -> Choice | None:
    others = {
        candidate.text: candidate.words
        for path, candidate in functions
        if candidate.text not in (helper.text, replaced.query)
        and not (path == replaced.path and candidate.symbol.name == replaced.name)
    }
    wrong = incorrect_candidates(count_words(replaced.query), others, commit.id)
    if not wrong:
        return None
    candidates = sorted([helper.text, *wrong], key=digest)
    return Choice(
        repository=history.repository,
        time=commit.time,
        group=f"{replaced.path}@{commit.id[:12]}",
        query=replaced.query,
        candidates=tuple(candidates),
        right=(candidates.index(helper.text),),
    )


class _Change:
    """The source files of a commit, before and after it."""

    def __init__(self, sides: Sequence[tuple[Changed, SourceFile, SourceFile]]) -> None:
        self._sides = sides
        self._kept = {name.rpartition(".")[2] for _, _, head in sides for name in head.functions}
        self._heads = {change.base_path: head for change, _, head in sides}

    @classmethod
    def of(cls, changes: Sequence[Changed], trees: SourceTrees) -> _Change | None:
        """Read the files of a commit; None if it removes too little, or calls nothing instead."""
        some = [change for change in changes if change.base_blob is not None and trees.removes(change)]
        if not any(trees.removes(change) >= _LEAST_LINES for change in some) or not any(
            map(trees.adds_calls, some)
        ):
            return None
        return cls([
            (
                change,
                trees.file(change.base_path or change.path, change.base_blob),
                trees.file(change.path, change.blob),
            )
            for change in some
        ])  # fmt: skip

    def keeps(self, symbol: Symbol) -> bool:
        """Return True if a function of the tree before the commit remains after it."""
        head = self._heads.get(symbol.path)
        return head is None or symbol.name in head.functions

    def replaced_functions(self) -> Iterator[_Replaced]:
        """Yield the functions that call others instead of their code, then the deleted ones."""
        for change, base, head in self._sides:
            for name, old in base.functions.items():
                new = head.functions.get(name)
                if new is not None:
                    yield from _shortened_functions(change, base, head, old, new)
        yield from self._deleted_functions()

    def _deleted_functions(self) -> Iterator[_Replaced]:
        for change, base, head in self._sides:
            for name, old in base.functions.items():
                own = old.symbol.own_name
                if name in head.functions or own in self._kept or old.symbol.size < _LEAST_TOKENS:
                    continue
                calls = self._calls_instead(own)
                if calls:
                    yield _Replaced(change.base_path or change.path, name, old.text, old.symbol.size, calls)

    def _calls_instead(self, own_name: str) -> frozenset[str]:
        """Return the names called instead of a deleted function; its own, if it is still called."""
        found: set[str] = set()
        for _, base, head in self._sides:
            for name, old in base.functions.items():
                new = head.functions.get(name)
                if new is not None and own_name in old.calls:
                    found |= (new.calls - old.calls) if own_name not in new.calls else {own_name}
        return frozenset(found)


def _shortened_functions(
    change: Changed, base: SourceFile, head: SourceFile, old: SourceFunction, new: SourceFunction
) -> Iterator[_Replaced]:
    size, rest = old.symbol.size, new.symbol.size
    if size < _LEAST_TOKENS or rest > _SHORTENED * size or size - rest < _LEAST_REMOVED:
        return
    calls = new.calls - old.calls
    query = old.text if rest <= _REPLACED * size else _removed_lines(base, head, old, new)
    if calls and query:
        yield _Replaced(change.base_path or change.path, old.symbol.name, query, size - rest, calls)


def _removed_lines(base: SourceFile, head: SourceFile, old: SourceFunction, new: SourceFunction) -> str:
    """Return the lines of a function that its new text lacks; nothing if they are too few."""
    retained = {line.strip() for line in head.lines[new.symbol.line - 1 : new.symbol.end_line]}
    own = base.lines[old.symbol.line - 1 : old.symbol.end_line]
    removed = [line for line in own if line.strip() and line.strip() not in retained]
    return normalise(removed) if len(removed) >= _LEAST_LINES else ""
