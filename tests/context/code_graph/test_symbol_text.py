"""The text of a symbol only depends on its code, and ends where an encoder stops reading."""

from __future__ import annotations

from tests.context.code_graph.shown import facts_of
from wardround.context.code_graph.symbol_text import symbol_text
from wardround.retrieval.documents import PIECES


def text_of(path: str, source: str, name: str) -> str:
    (symbol,) = [item for item in facts_of(path, source).symbols if item.name == name]
    return symbol_text(symbol, source.split("\n"))


def test_layout_and_comments_are_excluded() -> None:
    source = "x = 1\n\n\ndef one(a,   b):\n    # why\n\n    return   a + b\n"
    assert text_of("a.py", source, "one") == "def one(a, b):\nreturn a + b"


def test_comments_of_scripts_and_sql_are_excluded() -> None:
    script = "export function one() {\n  // why\n  /* because\n   * of this\n   */\n  return 1;\n}\n"
    assert text_of("a.ts", script, "one") == "export function one() {\nreturn 1;\n}"
    sql = "CREATE TABLE orders (\n  -- the key\n  id INTEGER\n);\n"
    assert text_of("a.sql", sql, "orders") == "CREATE TABLE orders (\nid INTEGER\n);"


def test_a_long_symbol_is_cut() -> None:
    source = "def one():\n" + "".join(f"    call_{n}()\n" for n in range(500))
    text = text_of("a.py", source, "one")
    assert text.startswith("def one():\ncall_0()")
    assert len(text.split("\n")) < PIECES
