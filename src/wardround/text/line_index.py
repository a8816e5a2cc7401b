"""The start offsets of the lines of a text; lines and columns are 1-based, in code points."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from wardround.lazy import LazyPattern

_LONE_RETURN = LazyPattern(r"\r(?!\n)")


def has_lone_returns(text: str) -> bool:
    """Return True if a text contains a carriage return without a newline."""
    return "\r" in text and _LONE_RETURN.search(text) is not None


def with_newlines(text: str) -> str:
    """Return the text with each single carriage return replaced by a newline; all offsets are preserved."""
    return _LONE_RETURN.sub("\n", text) if "\r" in text else text


class LineIndex:
    """Positions in a text whose lines end in newlines, as git counts them.

    For a language in which a single carriage return ends a line, use the index of ``with_newlines(text)``.

    Attributes:
        starts: where each line begins, in order; the last one may be empty.
    """

    __slots__ = ("starts",)

    def __init__(self, text: str) -> None:
        ends = accumulate([len(line) + 1 for line in text.split("\n")], initial=0)
        self.starts: Sequence[int] = list(ends)[:-1]

    def line(self, offset: int) -> int:
        """Return the line of an offset."""
        return bisect_right(self.starts, offset)

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position; the column is not checked against the length of the line."""
        return self.starts[line - 1] + column - 1
