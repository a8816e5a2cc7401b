"""Carriage returns that end lines, as they do in Python: git, reports and suppressions count newlines alone.

Tools and checks that count such lines report positions in lines which the change under review does not have.
They are converted to positions by newlines, so that a finding on an added line is one on an added line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from wardround.checks.source import SourceFile
from wardround.findings import RawFinding, Span
from wardround.text.line_index import LineIndex, has_lone_returns, with_newlines


class NewlinePositions:
    """Positions in a text whose carriage returns end lines, converted to positions by newlines alone."""

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


def run_by_lines(
    run: Callable[[SourceFile], Iterable[RawFinding]], source: SourceFile
) -> Iterable[RawFinding]:
    """Run checks of a language in which a carriage return alone ends a line; results are by newlines."""
    if not has_lone_returns(source.text):
        return run(source)
    positions = NewlinePositions(source.text)

    def base() -> str | None:
        text = source.read_base()
        return None if text is None else with_newlines(text)

    plain = replace(
        source,
        text=with_newlines(source.text),
        read_base=base,
        is_added=lambda number: source.is_added(positions.line(number)),
        added_lines=None,
    )
    return [positions.result(result) for result in run(plain)]
