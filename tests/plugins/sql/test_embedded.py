"""SQL in strings is found where the call makes it certain, and keeps its place."""

from __future__ import annotations

import pytest
from wardround_sql.embedded import fragments
from wardround_sql.specialist import holds_sql


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.py", 'c.execute("DELETE FROM t")', ["DELETE FROM t"]),
        ("a.py", 'log("DELETE FROM t")', []),
        ("a.py", 'c.execute(f"DELETE FROM {t}")', []),
        ("a.py", 'text("please select a file from the list")', []),
        ("a.py", "op.execute('''\n  UPDATE t SET a = 1\n''')", ["\n  UPDATE t SET a = 1\n"]),
        ("a.ts", "await sql`SELECT a FROM t WHERE b = ${b}`", ["SELECT a FROM t WHERE b = $1  "]),
        ("a.ts", "// db.query('DELETE FROM t')", []),
        ("a.ts", "db.query('DELETE FROM t')", ["DELETE FROM t"]),
        ("a.ts", "db.query('DELETE FROM ' + t)", []),
        ("a.ts", "const s = 'DELETE FROM t'", []),
        ("a.rb", "execute <<~SQL\n  DELETE FROM t\nSQL\n", ["  DELETE FROM t\n"]),
        ("a.py", "def broken(:", []),
    ],
)
def test_only_certain_sql_is_found(path: str, text: str, found: list[str]) -> None:
    assert [fragment.text for fragment in fragments(path, text)] == found
    assert not found or holds_sql(path, text.encode())


def test_code_without_a_database_is_not_claimed() -> None:
    assert not holds_sql("a.ts", b"export const select = (a: string) => update(a)")
