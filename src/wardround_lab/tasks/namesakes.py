"""Choices of the function with the same name: two files of a repository that define it have one purpose.

The name itself is hidden in all texts, so that the code decides. Names that many files define are those of an
interface, whose implementations differ in purpose.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from wardround.text.search_terms import count_words, parts
from wardround.training_tasks import Choice, History
from wardround_lab.tasks.source_functions import (
    PATTERNS,
    SourceFunction,
    SourceTrees,
    digest,
    incorrect_candidates,
)

_MOST = 60
"""Maximum number of choices of one repository, so that none dominates."""
_MOST_FILES = 3
"""Files that define a name, above which it is the name of a hook or an interface."""
_LEAST_TOKENS = 25
_MOST_ALIKE = 0.8
"""The share of common words above which two functions are copies, which need no encoder."""
_HIDDEN = "f"


def mine_namesake_choices(history: History) -> Iterator[Choice]:
    """Yield choices between the functions of the newest commit within the limits."""
    newest = next(iter(history.commits(PATTERNS)), None)
    if newest is None:
        return
    functions = SourceTrees(history).functions(newest.id)
    pairs = sorted(_pairs(functions), key=lambda pair: digest(history.repository, pair[0], pair[1].text))
    for path, namesake, other in islice(pairs, _MOST):
        choice = _choice(history, newest.id, newest.time, path, namesake, other, functions)
        if choice is not None:
            yield choice


def _pairs(
    functions: Sequence[tuple[str, SourceFunction]],
) -> Iterator[tuple[str, SourceFunction, SourceFunction]]:
    by_name: dict[str, list[tuple[str, SourceFunction]]] = {}
    for path, function in functions:
        if len(parts(function.symbol.own_name)) > 1 and function.symbol.size >= _LEAST_TOKENS:
            by_name.setdefault(function.symbol.own_name, []).append((path, function))
    for _, namesakes in sorted(by_name.items()):
        if 1 < len({path for path, _ in namesakes}) <= _MOST_FILES:
            (path, first), (_, last) = namesakes[0], namesakes[-1]
            if _jaccard(first.words, last.words) < _MOST_ALIKE:
                yield path, first, last


def _jaccard(counter: Counter[str], other: Counter[str]) -> float:
    return len(counter.keys() & other.keys()) / max(len(counter.keys() | other.keys()), 1)


def _choice(
    history: History,
    commit: str,
    time: int,
    path: str,
    item: SourceFunction,
    other: SourceFunction,
    functions: Sequence[tuple[str, SourceFunction]],
) -> Choice | None:
    name = item.symbol.own_name
    query, right = _hide_name(item), _hide_name(other)
    others = {_hide_name(each): each.words for _, each in functions if each.symbol.own_name != name}
    wrong = incorrect_candidates(count_words(query), others, f"{commit} {name}")
    if not wrong or query == right or right in wrong:
        return None
    candidates = sorted([right, *wrong], key=digest)
    return Choice(
        repository=history.repository,
        time=time,
        group=f"{path}@{commit[:12]}",
        query=query,
        candidates=tuple(candidates),
        right=(candidates.index(right),),
    )


def _hide_name(item: SourceFunction) -> str:
    return re.sub(rf"\b{re.escape(item.symbol.own_name)}\b", _HIDDEN, item.text)
