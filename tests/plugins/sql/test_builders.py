"""Queries and schemas that code builds by calls."""

from __future__ import annotations

import textwrap

import pytest
from wardround_sql.frontends.registry import calls


def _sql(path: str, text: str) -> list[str]:
    return [fragment.text for fragment in calls(path, textwrap.dedent(text).strip("\n") + "\n").fragments]


TYPEORM = """
import { MigrationInterface, QueryRunner, TableColumn, TableForeignKey } from 'typeorm';
const email = new TableColumn({ name: 'email', type: 'varchar', isNullable: false });
export class A implements MigrationInterface {
  private readonly parent = new TableForeignKey({ columnNames: ['p'], referencedTableName: 'b' });
  async up(runner: QueryRunner) {
    await runner.addColumns('users', [email]);
    await runner.createForeignKey('users', this.parent);
  }
}
"""
KNEX = """
const linkTo = (t, column, table) => t.uuid(column).notNullable().references('id').inTable(table);
const plain = { useTz: false };
exports.up = (knex) => knex.schema.createTable('cards', (t) => {
  linkTo(t, 'order_id', 'orders');
  t.timestamp('at', plain);
});
"""


def test_a_column_bound_to_a_name_is_located_at_its_definition() -> None:
    found = calls("src/migrations/1-a.ts", TYPEORM).fragments
    assert [item.text for item in found] == [
        'ALTER TABLE "users" ADD COLUMN "email" text NOT NULL',
        'ALTER TABLE "users" ADD FOREIGN KEY ("p") REFERENCES "b"',
    ]
    assert TYPEORM[found[0].offset :].startswith("name: 'email'")
    assert TYPEORM[found[1].offset :].startswith("runner.createForeignKey")


def test_a_function_that_creates_columns_is_applied_at_each_use() -> None:
    (sql,) = _sql("migrations/1_a.js", KNEX)
    assert '"order_id" uuid NOT NULL REFERENCES "orders"' in sql
    assert '"at" timestamp' in sql


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("knex('a').orderBy('id').limit(5).offset(page * 5)", ["SELECT 1 FROM t ORDER BY 1 OFFSET $1"]),
        ("knex('a').orderBy('id').limit(5).offset(0)", []),
        ("knex('a').where('b', 1).limit(5)", ["SELECT a FROM t LIMIT 10"]),
        ("knex('a').where('b', 1).limit(batchSize)", []),
        ("knex('a').del()", ['DELETE FROM "a"']),
        ("knex('a').where('b', 1).del()", []),
        ("prisma.note.deleteMany()", ['DELETE FROM "note"']),
        ("prisma.note.deleteMany({ where: { a: 1 } })", []),
        (
            "prisma.note.findMany({ skip: page * 10, take: 10, orderBy: { id: 'asc' } })",
            ["SELECT 1 FROM t ORDER BY 1 OFFSET $1"],
        ),
        ("prisma.note.findMany({ skip: 1, take: 10, cursor: { id }, orderBy: { id: 'asc' } })", []),
        ("list.limit(5)", []),
        ("knex('a').update({ b: 1 }) // all\n    .where('c', 2)", []),
    ],
)
def test_queries_of_typescript(query: str, found: list[str]) -> None:
    code = f"import knex from 'knex';\nasync function run(prisma, page) {{\n  return await {query};\n}}\n"
    assert _sql("src/a.ts", code) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("db.execute(select(Note.x, User.y))", ['SELECT 1 FROM "Note", "User"']),
        ("db.execute(select(Note.x, User.y).where(Note.id == User.a_id))", []),
        ("db.execute(select(Note.x, User.y).join(User))", []),
        (
            "db.execute(select(Note).where(Note.id == 1, exists(select(User.id).where(User.a_id == "
            "Note.id))))",
            [],
        ),
        ("q = delete(Note)\n    db.execute(q)", ['DELETE FROM "Note"']),
        ("q = delete(Note)\n    q = q.where(Note.x == 1)\n    db.execute(q)", []),
        ("db.scalars(select(Note).order_by(Note.id).offset(n))", ["SELECT 1 FROM t ORDER BY 1 OFFSET $1"]),
        ("db.scalars(select(Note).limit(10))", ["SELECT a FROM t LIMIT 10"]),
    ],
)
def test_queries_of_sqlalchemy(body: str, found: list[str]) -> None:
    code = f"from sqlalchemy import delete, exists, select\n\n\ndef run(db, n):\n    {body}\n"
    assert _sql("app/a.py", code) == found


def test_sql_of_a_shell_script_has_its_variables_as_names() -> None:
    script = """
    # psql -c "DROP TABLE a"
    psql -c "VACUUM FULL ${table}"
    psql <<SQL
    DELETE FROM notes WHERE id = $id;
    SQL
    echo 'DELETE it'
    """
    assert _sql("ops/a.sh", script) == ['VACUUM FULL "{table}"', "DELETE FROM notes WHERE id = $1;\n"]
