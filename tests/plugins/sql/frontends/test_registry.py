"""SQL in strings is recognized where the call makes it certain, and keeps its location."""

from __future__ import annotations

import pytest
from wardround_sql.frontends.registry import fragments
from wardround_sql.specialist import contains_sql


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.py", 'c.execute("DELETE FROM t")', ["DELETE FROM t"]),
        ("a.py", 'log("DELETE FROM t")', []),
        ("a.py", 'c.execute(f"DELETE FROM {t}")', ['DELETE FROM "{t}"']),
        ("a.py", 'text("please select a file from the list")', []),
        ("a.py", "op.execute('''\n  UPDATE t SET a = 1\n''')", ["\n  UPDATE t SET a = 1\n"]),
        ("a.ts", "await sql`SELECT a FROM t WHERE b = ${b}`", ["SELECT a FROM t WHERE b = $1  "]),
        ("a.ts", "// db.query('DELETE FROM t')", []),
        ("a.ts", "db.query('DELETE FROM t')", ["DELETE FROM t"]),
        ("a.ts", "db.query('DELETE FROM ' + t)", ['DELETE FROM "{t}"']),
        ("a.ts", "const s = 'DELETE FROM t'", []),
        ("a.rb", "execute <<~SQL\n  DELETE FROM t\nSQL\n", ["  DELETE FROM t\n"]),
        ("a.sh", "psql <<\\SQL\nDELETE FROM t\nSQL\n", ["DELETE FROM t\n"]),
        ("a.sh", "psql <<-end.sql\nDELETE FROM t\nend.sql\n", ["DELETE FROM t\n"]),
        ("a.py", "def broken(:", []),
        ("a.py", "Q = 'DELETE FROM t'\nc.execute(Q)", ["DELETE FROM t"]),
        (
            "a.py",
            "for q in ('DROP TABLE a', 'DROP TABLE b'):\n    op.execute(q)",
            ["DROP TABLE a", "DROP TABLE b"],
        ),
        ("a.py", 'c.execute("DELETE FROM t "\n    "WHERE a = 1")', ["DELETE FROM t WHERE a = 1"]),
        ("a.py", 'c.execute(f"SELECT a FROM t WHERE b = {b}")', ["SELECT a FROM t WHERE b = $1"]),
        ("a.py", 'c.execute(f"SELECT a FROM t ORDER BY {b}")', []),
        ("a.ts", "const q = 'DELETE FROM t'\ndb.query(q)", ["DELETE FROM t"]),
        (
            "a.ts",
            "db.query<{ id: string }>(`SELECT a FROM t WHERE b = ${b}`)",
            ["SELECT a FROM t WHERE b = $1"],
        ),
        ("migrations/a.js", "exports.down = (knex) => knex.raw('DROP TABLE t')", []),
        ("db/migrate/1_a.rb", "add_index :t, :a", ['CREATE INDEX ON "t" ("a")']),
        ("db/migrate/1_a.rb", "def down\n  drop_table :t\nend\n", []),
        ("a/migrations/1.py", "class M:\n    operations = [migrations.DeleteModel('T')]", ['DROP TABLE "t"']),
        ("alembic/versions/1.py", "op.drop_column('t', 'a')", ['ALTER TABLE "t" DROP COLUMN "a"']),
        ("a.py", "session.query(T).delete()", ['DELETE FROM "T"']),
        ("a.py", "session.query(T).filter(T.a == 1).delete()", []),
    ],
)
def test_only_certain_sql_is_found(path: str, text: str, found: list[str]) -> None:
    assert [fragment.text for fragment in fragments(path, text)] == found
    assert not found or "add_index" in text or contains_sql(path, text.encode())


def test_a_location_in_concatenated_strings_is_that_of_its_part() -> None:
    text = 'c.execute("DELETE FROM t "\n    "WHERE a = 1")'
    (fragment,) = fragments("a.py", text)
    start, end = fragment.place(14, 19)
    assert text[start:end] == "WHERE"


def test_code_without_a_database_is_not_claimed() -> None:
    assert not contains_sql("a.ts", b"export const select = (a: string) => update(a)")


@pytest.mark.parametrize(
    ("before", "calls"),
    [("x = 1\n", "c.execute('DELETE FROM t')\n"), ("", "op.f('x')\nop.drop_table('t')\n")],
)
def test_code_with_sql_anywhere_is_claimed(before: str, calls: str) -> None:
    far = before + "".join(f"def give_{n}():\n    return {n}\n" for n in range(500))
    assert not contains_sql("a.py", far.encode())
    assert contains_sql("a.py", (far + calls).encode())


@pytest.mark.parametrize(
    "text",
    [
        "'Select a file from the list'",
        '"""Update the rows from here."""',
        "loop.create_task(run())",
        "'Create a table'",
        "x = draw(all_of(y))",
    ],
)
def test_sentences_and_other_calls_are_not_sql(text: str) -> None:
    assert not contains_sql("a.py", text.encode())
