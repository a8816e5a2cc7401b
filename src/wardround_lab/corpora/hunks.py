"""Compute the hunks between two texts, with bounded time for long files."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from wardround_lab.corpora.records import RecordedHunk

_COMPARED_AT_MOST = 1_500
"""Maximum number of lines between common prefix and suffix that are compared; more become one hunk."""


def hunks(old: str, new: str) -> tuple[RecordedHunk, ...]:
    """Return the changes from one text to another, in order, without context."""
    before, after = old.split("\n"), new.split("\n")
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    left, right = before[start : len(before) - end], after[start : len(after) - end]
    return tuple(_hunks_between(left, right, start + 1))


def _common(sequence: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the common prefix of two sequences."""
    length = min(len(sequence), len(other))
    return next((at for at in range(length) if sequence[at] != other[at]), length)


def _hunks_between(left: Sequence[str], right: Sequence[str], first: int) -> Iterator[RecordedHunk]:
    if not left and not right:
        return
    if max(len(left), len(right)) > _COMPARED_AT_MOST:
        yield RecordedHunk(first, first, tuple(left), tuple(right))
        return
    for kind, a, b, c, d in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind != "equal":
            yield RecordedHunk(first + a, first + c, tuple(left[a:b]), tuple(right[c:d]))
