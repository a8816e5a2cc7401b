"""The lines of the files at the head, and columns in the units of other programs."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
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

    It stores those of the last file and the widths of its last line: entries are sorted by position, and a
    line can be a megabyte long.
    """

    def __init__(self, text_of: Callable[[str], str | None], widths: Widths) -> None:
        self._text_of = text_of
        self._widths = widths
        self._path: str | None = None
        self._lines: Sequence[str] = ()
        self._line = 0
        self._units: array[int] | None = None

    def lines(self, path: str) -> Sequence[str]:
        """Return the lines of a file without their ends; none if it has no text at the head."""
        if path != self._path:
            text = self._text_of(path)
            self._path, self._line = path, 0
            self._lines = () if text is None else text.split("\n")
        return self._lines

    def column(self, path: str, line: int, column: int) -> int | None:
        """Return a 1-based column in the units of the program; None if the file has no such line."""
        lines = self.lines(path)
        if line > len(lines):
            return None
        if line != self._line:
            self._line, self._units = line, self._widths(lines[line - 1])
        if self._units is None:
            return column
        inside = min(column, len(self._units)) - 1
        return self._units[inside] + column - inside
