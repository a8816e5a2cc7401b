"""SQ075: CONCURRENTLY inside a migration tool's transaction."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.project.migration_transactions import transaction_of

_HOW = {
    "Django": "set atomic = False",
    "Alembic": "run it in op.get_context().autocommit_block()",
    "Rails": "add disable_ddl_transaction!",
    "TypeORM": "set transaction = false on the migration",
    "Knex": "export config = { transaction: false }",
    "node-pg-migrate": "call pgm.noTransaction()",
    "dbmate": "write -- migrate:up transaction:false",
    "goose": "write -- +goose NO TRANSACTION",
    "sql-migrate": "write -- +migrate Up notransaction",
    "Liquibase": "write runInTransaction:false",
}


class ConcurrentlyInTransaction(SqlCheck):
    """CONCURRENTLY in a migration that its tool runs in a transaction.

    PostgreSQL rejects the statement: "CREATE INDEX CONCURRENTLY cannot run inside a transaction block".
    Disable the transaction for this migration; the message names the tool's setting.
    """

    ID = "SQ075"
    NAME = "concurrently-in-transaction"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "concurrent-index-in-transaction"
    WORDS = ("concurrently",)

    CASE_PATH = "alembic/versions/1a_b.py"
    VALID = [
        code("""
            from alembic import op
            def upgrade():
                with op.get_context().autocommit_block():
                    op.create_index('i', 'a', ['b'], postgresql_concurrently=True)
        """),
        code("""
            from alembic import op
            def upgrade():
                op.create_index('i', 'a', ['b'])
        """),
    ]
    INVALID = [
        code("""
            from alembic import op
            def upgrade():
                «op.create_index»('i', 'a', ['b'], postgresql_concurrently=True)
        """),
        code("""
            from alembic import op
            def upgrade():
                op.execute('«DROP INDEX CONCURRENTLY i»')
        """),
    ]

    def run(self) -> None:
        tool = transaction_of(self.source) if self.script.statements else ""
        for statement in self.script.of("IndexStmt", "DropStmt", "ReindexStmt") if tool else ():
            node = statement.node
            requested = node.get("concurrent") or (
                statement.kind == "ReindexStmt" and "concurrently" in statement.text.lower()
            )
            if requested and statement.fragment.migrates and not self.script.is_non_production:
                self.report_at(
                    statement,
                    f"{tool} runs this migration in a transaction, where CONCURRENTLY fails; {_HOW[tool]}",
                )
