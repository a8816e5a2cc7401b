"""Offsets and places: every reader here gives offsets into the file, and findings want lines and columns."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from wardround.findings import Edit, Span, SuggestedFix
from wardround.text.line_index import LineIndex


class Places(Struct, frozen=True, dict=True):
    """A file's text, and where its offsets (in code points) are; only newlines end a line."""

    path: str
    text: str

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.text)

    def line(self, offset: int) -> int:
        """The 1-based line an offset is on."""
        return self._lines.line(offset)

    def place(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of an offset."""
        return self._lines.position(offset)

    def span(self, start: int, end: int) -> Span:
        """The span between two offsets, the end exclusive."""
        return Span(*self.place(start), *self.place(max(start, end)))

    def line_start(self, line: int) -> int:
        """The offset at which a 1-based line begins."""
        return self._lines.starts[line - 1]

    def replacing(
        self, start: int, end: int, replacement: str, description: str, *, safe: bool
    ) -> SuggestedFix:
        """A fix that replaces the text between two offsets."""
        edit = Edit(self.path, self.span(start, end), replacement)
        return SuggestedFix(description, safe, (edit,))


class Passage(Struct, frozen=True):
    """A piece of a file that is text in another language, such as the script of a step.

    Attributes:
        text: what it says, as long as in the file: what the file's own syntax adds, such as continuation
            signs and escapes, is blanked, so that every offset stays true.
        start: the offset of its first character in the file.
    """

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def part(self, start: int, end: int) -> Passage:
        """The piece between two offsets of the file."""
        return Passage(self.text[start - self.start : end - self.start], start)
