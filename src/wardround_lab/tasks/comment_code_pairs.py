"""Choices from adjacent text and code in a file: a comment and its code, a name and its body.

They are mined from history, so that each pair has the time at which it was written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import msgspec

from wardround.training_tasks import Choice, Commit, History

_FILES_OF_A_SWEEP = 30
"""Maximum number of files in a commit; a larger one moves or reformats code that was written before."""
_PER_FILE = 6
"""Maximum number of choices of one file in one commit, so that a new file does not dominate."""
_CANDIDATES = 8
_SHORTEST_CODE = 8
_LONGEST_TEXT = 2_000
"""Maximum length in characters; later text is beyond every model's window."""


class CommentCodePair(msgspec.Struct, frozen=True):
    """Text and the code it describes, verbatim from one file."""

    words: str
    code: str


PairsOf = Callable[[str, str], Sequence[CommentCodePair]]
"""(path, text of the file) -> its pairs, in order."""


def mine_pair_choices(
    history: History, patterns: Sequence[str], pairs_of: PairsOf, *, ask_code: bool = False
) -> Iterator[Choice]:
    """Yield, for every pair that a commit added, the choice of the code that the text describes.

    Args:
        ask_code: the reverse question, which text describes this code.
    """
    seen: set[bytes] = set()
    for commit in history.commits(patterns):
        if len(commit.changes) > _FILES_OF_A_SWEEP:
            continue
        for path, pairs, before in _changed_pairs(history, commit, pairs_of):
            fresh = [at for at, pair in enumerate(pairs) if pair not in before and _is_new(pair, seen)]
            for at in islice(fresh, _PER_FILE):
                choice = _choice(history, commit, path, pairs, at)
                if choice is not None:
                    yield choice if not ask_code else _turn_choice(choice, pairs, at)


def _changed_pairs(
    history: History, commit: Commit, pairs_of: PairsOf
) -> Iterator[tuple[str, list[CommentCodePair], frozenset[CommentCodePair]]]:
    """Return the files of a commit with enough pairs to choose from, and their previous pairs."""
    for change in commit.changes:
        text = history.text(change.blob)
        if text is None:
            continue
        pairs = _distinct(pairs_of(change.path, text))
        if len(pairs) < 3:
            continue
        base = history.text(change.base_blob)
        before = (
            frozenset(_distinct(pairs_of(change.base_path or change.path, base))) if base else frozenset()
        )
        yield change.path, pairs, before


def _distinct(pairs: Sequence[CommentCodePair]) -> list[CommentCodePair]:
    """Return pairs whose text and code differ from all earlier pairs of the file: a choice must have one
    answer.
    """
    words: set[str] = set()
    codes: set[str] = set()
    retained = []
    for pair in pairs:
        if len(pair.code) < _SHORTEST_CODE or pair.words.lower() in words or pair.code in codes:
            continue
        words.add(pair.words.lower())
        codes.add(pair.code)
        retained.append(CommentCodePair(pair.words[:_LONGEST_TEXT], pair.code[:_LONGEST_TEXT]))
    return retained


def _is_new(pair: CommentCodePair, seen: set[bytes]) -> bool:
    """Return True if no commit so far added this pair, in any file."""
    digest = _digest(" ".join(pair.words.split()), " ".join(pair.code.split()))
    if digest in seen:
        return False
    seen.add(digest)
    return True


def _choice(
    history: History, commit: Commit, path: str, pairs: list[CommentCodePair], at: int
) -> Choice | None:
    """Return the pair among its nearest neighbours, in a random order."""
    near = sorted(range(len(pairs)), key=lambda other: (abs(other - at), other))[:_CANDIDATES]
    order = sorted(near, key=lambda other: _digest(commit.id, path, pairs[other].code))
    return Choice(
        repository=history.repository,
        time=commit.time,
        group=f"{path}@{commit.id[:12]}",
        query=pairs[at].words,
        candidates=tuple(pairs[other].code for other in order),
        right=(order.index(at),),
    )


def _turn_choice(choice: Choice, pairs: list[CommentCodePair], at: int) -> Choice:
    """Return the reverse choice, from code to text."""
    words = {pair.code: pair.words for pair in pairs}
    return msgspec.structs.replace(
        choice, query=pairs[at].code, candidates=tuple(words[code] for code in choice.candidates)
    )


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).digest()
