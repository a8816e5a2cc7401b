"""Spans in a file, from offsets and from locations of statements."""

from __future__ import annotations

from functools import cached_property

from wardround.findings import Span
from wardround.lazy import LazyPattern
from wardround.text.line_index import LineIndex
from wardround_sql.parsing.statements import Statement, Unparsed

_TOKEN = LazyPattern(r'"(?:[^"]|"")*"|[\w$]+(?:\.[\w$]+)*|\'(?:[^\']|\'\')*\'|.')


class Locations:
    """Conversion of locations in one file; offsets are in code points.

    Args:
        text: the file's content.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self._text)

    def offset_of(self, span: Span) -> int:
        """Return the offset of a span in the file."""
        return self._lines.offset(span.line, span.column)

    def span_of(self, start: int, end: int) -> Span:
        """Return the span between two offsets of the file; it ends with its first line."""
        first, last = self._lines.position(start), self._lines.position(max(end, start))
        if first[0] != last[0]:
            width = self._lines.starts[first[0]] - self._lines.starts[first[0] - 1]
            last = (first[0], max(width, first[1]))
        return Span(*first, *last)

    def span(self, statement: Statement, location: int | None = None) -> Span:
        """Return the span of a token of a statement, or of its first line without a location."""
        text = statement.text
        if location is None:
            start, end = 0, len(text.split("\n", 1)[0].rstrip()) or 1
        else:
            start = min(statement.point(location), max(len(text) - 1, 0))
            token = _TOKEN.match(text, start)
            end = token.end() if token else start + 1
        base = statement.offset
        return self.span_of(*statement.fragment.place(base + start, base + end))

    def span_of_parse_error(self, bad: Unparsed) -> Span:
        """Return the span of the character at which the parser stopped."""
        start = bad.offset + min(bad.point, max(len(bad.text) - 1, 0))
        return self.span_of(*bad.fragment.place(start, start + 1))
