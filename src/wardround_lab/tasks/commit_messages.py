"""Choices from commits: the hunk that a message is about, among hunks of neighbouring commits."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wardround.lazy import LazyPattern
from wardround.retrieval.documents import hunk_text, query_text
from wardround.training_tasks import Choice, Commit, History

_FILES_AT_MOST = 8
"""Maximum number of files of a commit; a larger one is rarely about one topic."""
_LINES_AT_MOST = 4_000
_CANDIDATES = 8
_FEWEST_WORDS = 4
_WORD = re.compile(r"[A-Za-z]{2,}")
_NAMES_A_PLACE = LazyPattern(r"\S+\.(?:py|tsx?|jsx?|sql|ya?ml)\b|#\d+|\b[0-9a-f]{7,40}\b|\([^)]*#\d+\)")
"""File names, issue numbers and commit ids, which would reveal the answer."""
_ROUTINE = re.compile(
    r"(?i)\b(?:bump|release|version|changelog|merge|revert|typo|lint|format(?:ting)?|pre-commit)\b"
)
_DEFINITION = re.compile(
    r"^\s*(?:async\s+def|def|class|(?:export\s+)?(?:async\s+)?function|export\s+const)\s.*$"
)


@dataclass(frozen=True, slots=True)
class _DescribedCommit:
    """A commit as its message and the texts of its hunks."""

    commit: Commit
    message: str
    hunks: tuple[str, ...]


def mine_message_choices(history: History, patterns: Sequence[str]) -> Iterator[Choice]:
    """Yield, for every descriptive commit, one of its hunks among one each of the adjacent commits."""
    reported: list[_DescribedCommit] = []
    for commit in history.commits(patterns):
        message = _message(commit)
        hunks = tuple(_hunks(history, commit)) if message else ()
        if hunks:
            reported.append(_DescribedCommit(commit, message, hunks))
        if len(reported) == 2 * _CANDIDATES:
            yield from _choice(history, reported, _CANDIDATES // 2)
            reported.pop(0)


def _message(commit: Commit) -> str:
    """Return the description of a commit; empty if it is routine or too short."""
    if len(commit.changes) > _FILES_AT_MOST or _ROUTINE.search(commit.subject):
        return ""
    words = _NAMES_A_PLACE.sub(" ", query_text(f"{commit.subject}\n{commit.body}"))
    return words.strip() if len(_WORD.findall(words)) >= _FEWEST_WORDS else ""


def _hunks(history: History, commit: Commit) -> Iterator[str]:
    for change in commit.changes:
        old, new = history.text(change.base_blob) or "", history.text(change.blob) or ""
        before, after = old.split("\n"), new.split("\n")
        if max(len(before), len(after)) > _LINES_AT_MOST:
            continue
        for group in difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(3):
            added = [line for kind, _, _, a, b in group if kind != "equal" for line in after[a:b]]
            removed = [line for kind, a, b, _, _ in group if kind != "equal" for line in before[a:b]]
            if any(line.strip() for line in (*added, *removed)):
                yield hunk_text(
                    change.path, _definition_line(after, group[0][3]), "\n".join([*added, *removed])
                )


def _definition_line(lines: Sequence[str], start: int) -> str:
    """Return the first line of the definition around a position, or an empty string."""
    return next((line.strip() for line in reversed(lines[: start + 1]) if _DEFINITION.match(line)), "")


def _choice(history: History, told: Sequence[_DescribedCommit], at: int) -> Iterator[Choice]:
    """Return the choice of a commit against its neighbours, unless they all changed the same."""
    requested = told[at]
    near = sorted((n for n in range(len(told)) if n != at), key=lambda n: (abs(n - at), n))
    own = _sample_hunk(requested.hunks, requested.commit.id)
    others = dict.fromkeys(_sample_hunk(told[n].hunks, requested.commit.id) for n in near)
    others.pop(own, None)
    if not others:
        return
    candidates = [own, *list(others)[: _CANDIDATES - 1]]
    order = sorted(candidates, key=lambda text: _digest(requested.commit.id, text))
    yield Choice(
        repository=history.repository,
        time=requested.commit.time,
        group=requested.commit.id,
        query=requested.message,
        candidates=tuple(order),
        right=(order.index(own),),
    )


def _sample_hunk(hunks: Sequence[str], salt: str) -> str:
    return min(hunks, key=lambda text: _digest(salt, text))


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
