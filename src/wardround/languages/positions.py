"""Offsets and positions: parsers return offsets into the file, findings need lines and columns."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from wardround.findings import Edit, Span, SuggestedFix
from wardround.text.line_index import LineIndex


class Places(Struct, frozen=True, dict=True):
    """A file's text, and the positions of its offsets (in code points); only newlines end a line."""

    path: str
    text: str

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.text)

    def line(self, offset: int) -> int:
        """Return the 1-based line of an offset."""
        return self._lines.line(offset)

    def place(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column of an offset."""
        return self._lines.position(offset)

    def span(self, start: int, end: int) -> Span:
        """Return the span between two offsets, the end exclusive."""
        return Span(*self.place(start), *self.place(max(start, end)))

    def line_start(self, line: int) -> int:
        """Return the offset at which a 1-based line begins."""
        return self._lines.starts[line - 1]

    def replacing(
        self, start: int, end: int, replacement: str, description: str, *, safe: bool
    ) -> SuggestedFix:
        """Return a fix that replaces the text between two offsets."""
        edit = Edit(self.path, self.span(start, end), replacement)
        return SuggestedFix(description, safe, (edit,))


class Passage(Struct, frozen=True):
    """A part of a file in another language, such as the script of a step.

    Attributes:
        text: its content, of the same length as in the file: the file's own syntax within it, such as
            continuation characters and escapes, is blanked, so that every offset remains valid.
        start: the offset of its first character in the file.
    """

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def part(self, start: int, end: int) -> Passage:
        """Return the part between two offsets of the file."""
        return Passage(self.text[start - self.start : end - self.start], start)
