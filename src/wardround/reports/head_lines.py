"""The lines of the files at the head, and columns in the units of other programs."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate

Widths = Callable[[str], "array[int] | None"]


def utf8_widths(line: str) -> array[int] | None:
    """Return the number of bytes before each column; None if it is that of the characters."""
    if line.isascii():
        return None
    return array("L", accumulate((len(char.encode("utf-8", "replace")) for char in line), initial=0))


def utf16_widths(line: str) -> array[int] | None:
    """Return the number of UTF-16 units before each column; None if it is that of the characters."""
    if line.isascii() or max(line) < "\U00010000":
        return None
    return array("L", accumulate((1 + (char > "\uffff") for char in line), initial=0))


class HeadLines:
    """The lines of one file after another.

    It stores those of the last file and the widths of few lines: entries are sorted by position, and a line
    can be a megabyte long.
    """

    def __init__(self, text_of: Callable[[str], str | None], widths: Widths) -> None:
        self._text_of = text_of
        self._path: str | None = None
        self._lines: Sequence[str] = ()
        self._widths = lru_cache(maxsize=4)(lambda line: widths(self._lines[line - 1]))

    def lines(self, path: str) -> Sequence[str]:
        """Return the lines of a file without their ends; none if it has no text at the head."""
        if path != self._path:
            text = self._text_of(path)
            self._path = path
            self._lines = () if text is None else text.split("\n")
            self._widths.cache_clear()
        return self._lines

    def column(self, path: str, line: int, column: int) -> int | None:
        """Return a 1-based column in the units of the program; None if the file has no such line."""
        if line > len(self.lines(path)):
            return None
        widths = self._widths(line)
        if widths is None:
            return column
        inside = min(column, len(widths)) - 1
        return widths[inside] + column - inside
