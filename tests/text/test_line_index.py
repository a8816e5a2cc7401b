"""Positions in a text by its newlines."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.text.line_index import LineIndex, has_lone_returns, with_newlines

TEXTS = st.text(alphabet="ab\u00e9\U0001f600\n\r\f\v\u2028\ufeff", max_size=30)


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("", [0]),
        ("a", [0]),
        ("\n", [0, 1]),
        ("a\nb\n", [0, 2, 4]),
        ("a\r\nb", [0, 3]),
        ("a\rb\u2028c\fd", [0]),
        ("\ufeffa\nb", [0, 3]),
    ],
)
def test_only_newlines_end_lines(text: str, starts: list[int]) -> None:
    assert LineIndex(text).starts == starts


@given(TEXTS)
def test_lines_begin_behind_newlines(text: str) -> None:
    assert LineIndex(text).starts == [0, *(match.end() for match in re.finditer("\n", text))]


@given(TEXTS)
def test_with_newlines_a_return_ends_a_line_as_in_python(text: str) -> None:
    ends = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
    assert LineIndex(with_newlines(text)).starts == ends
    assert has_lone_returns(text) == (ends != LineIndex(text).starts)


@given(TEXTS)
def test_every_offset_has_a_position_and_comes_back(text: str) -> None:
    lines = LineIndex(text)
    for offset in range(len(text) + 1):
        line, column = lines.position(offset)
        assert line == lines.line(offset) == text.count("\n", 0, offset) + 1
        assert column == offset - (text.rfind("\n", 0, offset) + 1) + 1
        assert lines.offset(line, column) == offset
