"""Positions of ``ast`` and offsets in the source."""

from __future__ import annotations

import ast

import pytest

from wardround.languages.python.source_positions import SourcePositions


@pytest.mark.parametrize(
    "text",
    ["a = 1\nb = 2\n", "\u00e9 = '\U0001f600'; b = 2\nc = 3", "a = 1\rb = 2\r\nc = 3", "a = 1\n\x0cb = 2\n"],
)
def test_names_are_where_ast_finds_them(text: str) -> None:
    positions = SourcePositions(text)
    names = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
    assert names
    for node in names:
        offset = positions.offset(node.lineno, node.col_offset)
        assert text[offset : offset + len(node.id)] == node.id
        assert positions.ast_position(offset) == (node.lineno, node.col_offset)


def test_a_column_past_the_last_line_is_the_end() -> None:
    positions = SourcePositions("a\nb")
    assert positions.offset_of_character(2, 9) == 3
    assert positions.offset_of_character(7, 1) == 2
    assert positions.offset_of_character(1, 0) == 0
