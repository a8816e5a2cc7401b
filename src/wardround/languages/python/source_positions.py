"""Positions of ``ast``, converted to offsets in the source and back."""

from __future__ import annotations

from wardround.text.line_index import LineIndex, with_newlines

AstPosition = tuple[int, int]
"""The line (1-based) and the column in UTF-8 bytes (0-based), as ``ast`` has them."""


class SourcePositions:
    """The source of a module; offsets count characters, and a carriage return alone ends a line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = LineIndex(with_newlines(text))
        self._is_ascii = text.isascii()

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position of ``ast``."""
        start = self._lines.starts[line - 1]
        if self._is_ascii:
            return start + column
        before = self.text[start : start + column].encode("utf-8", "replace")[:column]
        return start + len(before.decode("utf-8", "ignore"))

    def ast_position(self, offset: int) -> AstPosition:
        """Return the position of ``ast`` for an offset."""
        line, column = self._lines.position(offset)
        if self._is_ascii:
            return line, column - 1
        return line, len(self.text[offset - column + 1 : offset].encode("utf-8", "surrogatepass"))

    def offset_of_character(self, line: int, column: int) -> int:
        """Return the offset of a 1-based column of characters; one past the end of the text is the end."""
        starts = self._lines.starts
        return min(starts[min(line, len(starts)) - 1] + max(column - 1, 0), len(self.text))

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and the 1-based column in characters of an offset."""
        return self._lines.position(offset)
