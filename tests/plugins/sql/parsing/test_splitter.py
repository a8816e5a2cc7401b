"""Statements are split with respect to quotes, comments, bodies and data, and keep their locations."""

from __future__ import annotations

import pytest
from wardround_sql.parsing.splitter import cut


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("select 1; select 2", ["select 1", "select 2"]),
        ("select ';'; select E'\\';'; select \"a;b\"", ["select ';'", "select E'\\';'", 'select "a;b"']),
        ("-- a; b\nselect 1 /* ; /* ; */ ; */; select 2", ["select 1", "select 2"]),
        ("do $x$ a; $$ b; $x$; select 1", ["do $x$ a; $$ b; $x$", "select 1"]),
        ("select a$b$c; select 1", ["select a$b$c", "select 1"]),
        ("\\connect other\nselect 1", ["select 1"]),
        ("copy t from stdin;\n1\t;\n\\.\nselect 1", ["copy t from stdin", "select 1"]),
        ("create rule r as do (a; b); select 3", ["create rule r as do (a; b)", "select 3"]),
        (
            "create function f() begin atomic select case when a then 1 end; select 2; end; select 3",
            ["create function f() begin atomic select case when a then 1 end; select 2; end", "select 3"],
        ),
        ("select 'never closed", ["select 'never closed"]),
        (";;  ;", []),
    ],
)  # fmt: skip
def test_statements_are_split(text: str, statements: list[str]) -> None:
    pieces, _ = cut(text)
    assert [piece.text for piece in pieces] == statements
    assert all(text[piece.offset :].startswith(piece.text) for piece in pieces)
