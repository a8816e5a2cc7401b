"""Positions in texts whose carriage returns end lines."""

from __future__ import annotations

import pytest

from wardround.findings import Edit, RawFinding, Span, SuggestedFix
from wardround.text.line_ends import NewlinePositions
from wardround.text.line_index import has_lone_returns, with_newlines


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\rb", True), ("a\r\nb", False), ("a\nb", False), ("a\r", True), ("\r\r\n", True)],
)
def test_a_return_before_a_newline_is_not_alone(text: str, expected: bool) -> None:
    assert has_lone_returns(text) is expected
    assert has_lone_returns(with_newlines(text)) is False
    assert len(with_newlines(text)) == len(text)


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        (1, 1, (1, 1)),
        (2, 1, (1, 4)),
        (2, 2, (1, 5)),
        (3, 1, (2, 1)),
        (4, 2, (2, 6)),
        (5, 1, (3, 1)),
        (99, 9, (3, 1)),
    ],
)
def test_positions_are_by_newlines(line: int, column: int, expected: tuple[int, int]) -> None:
    text = "ab\rcd\nefg\rhi\r\n"
    span = Span(line, column, line, column)
    edit = Edit("a.py", span, "x")
    result = RawFinding("X", "a.py", span, "text", fix=SuggestedFix("fix", True, (edit,)))
    found = NewlinePositions(text).result(result)
    assert (found.span.line, found.span.column) == expected
    assert found.fix is not None
    assert found.fix.edits[0].span == found.span
