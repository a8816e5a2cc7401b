"""Examples from history: functions whose code a commit changed, and whether it changed the documentation."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from wardround.semantics.docdrift.features import features
from wardround.semantics.docdrift.model import DocumentedChange, DocumentedPair
from wardround.text.tokens import is_code_like
from wardround.training_tasks import Commit, History

_FILES_AT_MOST = 30
"""Maximum number of files of a language in a commit; a larger commit is a sweep with unrelated words."""
_WORDS_AT_LEAST = 3
_CALLABLES_AT_MOST = 15
"""Maximum number of documented functions in a commit; a larger commit is a sweep."""
_CHARACTERS_AT_MOST = 12_000
_ROWS_PER_CALLABLE = 6
_TYPO_SIMILARITY = 0.75
_ARTICLES = frozenset({"a", "an", "the"})
_WORD = re.compile(r"\w+")


Compare = Callable[[str, str], Sequence[DocumentedPair]]
"""Return the documented functions whose code differs between an old and a new text of a file."""


@dataclass(frozen=True, slots=True)
class DocExample:
    """One example.

    Attributes:
        told: whether the author changed the documentation in the same commit.
        values: the features, in the order of ``features.NAMES``.
    """

    commit: str
    time: int
    path: str
    told: bool
    values: tuple[float, ...]
    compared: DocumentedPair


def rows(
    history: History, patterns: Sequence[str], compare: Compare, expected: Callable[[str], bool]
) -> Iterator[DocExample]:
    """Yield the examples of a history, newest first.

    Excluded are sweeps, very long callables, documentation that was deleted or only corrected in spelling,
    duplicate changes, more than six examples of one callable, and files that cannot be read before or after.

    Args:
        patterns: glob patterns of the files of the language.
        expected: returns True for paths to include; tests are excluded.
    """
    seen: set[bytes] = set()
    per_callable: Counter[tuple[str, str]] = Counter()
    for commit in history.commits(patterns):
        found = _documented_changes(history, commit, compare, expected)
        for path, compared in found if len(found) <= _CALLABLES_AT_MOST else ():
            reported, digest, location = _label(compared), _digest(compared), (path, compared.change.name)
            if reported is None or digest in seen or per_callable[location] >= _ROWS_PER_CALLABLE:
                continue
            seen.add(digest)
            per_callable[location] += 1
            yield DocExample(commit.id, commit.time, path, reported, features(compared.change), compared)


def _documented_changes(
    history: History, commit: Commit, compare: Compare, expected: Callable[[str], bool]
) -> list[tuple[str, DocumentedPair]]:
    """Return the changed documented functions of a commit; none for a sweep."""
    found: list[tuple[str, DocumentedPair]] = []
    for change in commit.changes if len(commit.changes) <= _FILES_AT_MOST else ():
        if expected(change.path) and change.blob is not None and change.base_blob is not None:
            old, new = history.text(change.base_blob), history.text(change.blob)
            if old is not None and new is not None:
                found += [(change.path, compared) for compared in compare(old, new)]
    return found


def _label(compared: DocumentedPair) -> bool | None:
    """Return True if the documentation changed; None if that is undecided."""
    change = compared.change
    sizes = (sum(map(len, change.old.lines)), sum(map(len, change.new.lines)))
    if compared.words_after is None or max(sizes) > _CHARACTERS_AT_MOST:
        return None
    before, after = _WORD.findall(compared.words_before), _WORD.findall(compared.words_after)
    if len(before) < _WORDS_AT_LEAST:
        return None
    if before == after:
        return False
    return None if _is_mended(before, after, change) else True


def _is_mended(before: Sequence[str], after: Sequence[str], change: DocumentedChange) -> bool:
    """Return True if only spelling or articles of words differ, and none of them is a name of the code."""
    old = [word.lower() for word in before if word.lower() not in _ARTICLES]
    new = [word.lower() for word in after if word.lower() not in _ARTICLES]
    in_code = {name.lower() for name in change.old.names | change.new.names}
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal" and (b - a != d - c or not _alike(old[a:b], new[c:d], in_code)):
            return False
    return True


def _alike(old: Sequence[str], new: Sequence[str], in_code: set[str]) -> bool:
    return all(
        not (is_code_like(word) or word in in_code or other in in_code)
        and difflib.SequenceMatcher(None, word, other).ratio() >= _TYPO_SIMILARITY
        for word, other in zip(old, new, strict=True)
    )


def _digest(compared: DocumentedPair) -> bytes:
    """Return a digest that is equal for equal examples, whatever their commit."""
    change = compared.change
    parts = (compared.words_before, compared.words_after or "", *change.old.lines, "\0", *change.new.lines)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).digest()
