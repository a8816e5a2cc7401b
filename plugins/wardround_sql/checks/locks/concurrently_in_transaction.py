"""SQ075: CONCURRENTLY inside the transaction of a migration tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_sql.check import SqlCheck
from wardround_sql.project.migration_transactions import transaction_of

_HOW = {
    "Django": "set atomic = False",
    "Alembic": "put it into op.get_context().autocommit_block()",
    "Rails": "add disable_ddl_transaction!",
    "TypeORM": "set transaction = false on the migration",
    "Knex": "export config = { transaction: false }",
    "node-pg-migrate": "call pgm.noTransaction()",
    "dbmate": "write -- migrate:up transaction:false",
    "goose": "write -- +goose NO TRANSACTION",
    "sql-migrate": "write -- +migrate Up notransaction",
    "Liquibase": "write runInTransaction:false",
}
_ALEMBIC = "alembic/versions/1a_b.py"
_HEAD = "from alembic import op\ndef upgrade():\n"
_RAILS = "db/migrate/20240101000000_a.rb"
_CLASS = "class A < ActiveRecord::Migration[7.1]\n"
_CHANGE = "  def change\n    add_index :notes, :a, algorithm: :concurrently\n  end\nend\n"


class ConcurrentlyInTransaction(SqlCheck):
    """CONCURRENTLY in a migration that its tool runs inside a transaction, where PostgreSQL refuses it.

    The migration fails: "CREATE INDEX CONCURRENTLY cannot run inside a transaction block". Every tool has
    a switch that takes the transaction away; the message says which.
    """

    ID = "SQ075"
    NAME = "concurrently-in-transaction"
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "concurrent-index-in-transaction"
    WORDS = ("concurrently",)
    TRIED_ON = "30 trees: no hit"

    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            _HEAD + "    with op.get_context().autocommit_block():\n"
            "        op.create_index('i', 'a', ['b'], postgresql_concurrently=True)\n",
            path=_ALEMBIC,
        ),
        Valid(_HEAD + "    op.create_index('i', 'a', ['b'])\n", path=_ALEMBIC),
        Valid(_CLASS + "  disable_ddl_transaction!\n" + _CHANGE, path=_RAILS),
        Valid("create index concurrently i on a (b);\n", path="db/migrations/V2__a.sql"),
        Valid(
            "-- migrate:up transaction:false\ncreate index concurrently i on a (b);\n",
            path="db/migrations/2_a.sql",
        ),
        Valid(
            "export const config = { transaction: false };\nexport async function up(knex: Knex) {\n"
            "  await knex.raw('CREATE INDEX CONCURRENTLY i ON a (b)');\n}\n",
            path="migrations/2_a.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            _HEAD + "    op.create_index('i', 'a', ['b'], postgresql_concurrently=True)\n",
            line=3,
            column=5,
            path=_ALEMBIC,
        ),
        Invalid(_HEAD + "    op.execute('DROP INDEX CONCURRENTLY i')\n", line=3, column=17, path=_ALEMBIC),
        Invalid(_CLASS + _CHANGE, line=3, column=5, path=_RAILS),
        Invalid(
            "class Migration(migrations.Migration):\n    operations = [\n"
            "        AddIndexConcurrently('note', models.Index(fields=['a'], name='i')),\n    ]\n",
            line=3,
            column=9,
            path="notes/migrations/0002_a.py",
        ),
        Invalid(
            "-- +goose Up\ncreate index concurrently i on a (b);\n",
            line=2,
            column=1,
            path="migrations/2_a.sql",
        ),
        Invalid(
            "export async function up(knex: Knex) {\n  await knex.raw('CREATE INDEX CONCURRENTLY i ON a "
            "(b)');\n}\n",
            line=2,
            column=19,
            path="migrations/2_a.ts",
        ),
    ]

    def run(self) -> None:
        tool = transaction_of(self.source) if self.script.statements else ""
        for statement in self.script.of("IndexStmt", "DropStmt", "ReindexStmt") if tool else ():
            node = statement.node
            asked = node.get("concurrent") or (
                statement.kind == "ReindexStmt" and "concurrently" in statement.text.lower()
            )
            if asked and statement.fragment.migrates and not self.script.is_spare:
                self.say(
                    statement, f"{tool} runs this in a transaction, where CONCURRENTLY fails; {_HOW[tool]}"
                )
