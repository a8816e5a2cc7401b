"""Carriage returns that end lines, as they do in Python: git, reports and suppressions only count newlines.

Tools and checks that count such lines report positions in lines which the change under review does not have.
They are converted to positions by newlines, so that a finding on an added line is on one in both counts.
"""

from __future__ import annotations

from msgspec.structs import replace

from wardround.findings import RawFinding, Span
from wardround.text.line_index import LineIndex, with_newlines


class NewlinePositions:
    """Positions in a text whose carriage returns end lines, converted to positions by newlines only."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._lines = LineIndex(with_newlines(text))
        self._newline_lines = LineIndex(text)

    def line(self, number: int) -> int:
        """Return the line by newlines in which a line begins."""
        return self._position(number, 1)[0]

    def result(self, result: RawFinding) -> RawFinding:
        """Return a result, its fix included, at positions by newlines."""
        fix = result.fix
        if fix is not None:
            fix = replace(fix, edits=tuple(replace(edit, span=self._span(edit.span)) for edit in fix.edits))
        return replace(result, span=self._span(result.span), fix=fix)

    def _span(self, span: Span) -> Span:
        return Span(*self._position(span.line, span.column), *self._position(span.end_line, span.end_column))

    def _position(self, line: int, column: int) -> tuple[int, int]:
        starts = self._lines.starts
        offset = self._lines.offset(min(line, len(starts)), column)
        return self._newline_lines.position(min(offset, self._length))
