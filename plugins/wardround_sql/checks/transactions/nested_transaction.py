"""SQ076: BEGIN and COMMIT inside a migration tool's transaction."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.project.migration_files import is_flyway
from wardround_sql.project.migration_transactions import transaction_of


class NestedTransaction(SqlCheck):
    """Transaction inside the transaction of a migration tool.

    BEGIN only raises a warning there, and COMMIT ends the tool's transaction: if a later statement fails, the
    earlier ones are not rolled back, and the tool records a migration that did not complete or runs it again.
    Remove both, or disable the tool's transaction.
    """

    ID = "SQ076"
    NAME = "nested-transaction"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "transaction-inside-transaction"
    WORDS = ("begin", "start transaction")

    CASE_PATH = "db/migration/V2__a.sql"
    VALID = [
        code(
            """
            begin;
            update a set b = 1 where c = 2;
            commit;
            """,
            path="db/migrations/0002_change.sql",
        ),
        code("""
            do $$ begin perform f(); end $$;
        """),
    ]
    INVALID = [
        code("""
            «begin»;
            update a set b = 1 where c = 2;
            commit;
        """),
        code(
            """
            -- +goose Up
            «begin»;
            update a set b = 1 where c = 2;
            commit;
            """,
            path="migrations/2_a.sql",
        ),
    ]

    def run(self) -> None:
        if not self.script.is_sql or self.script.is_non_production:
            return
        tool = "Flyway" if is_flyway(self.source.path) else transaction_of(self.source)
        for statement in self.script.of("TransactionStmt") if tool else ():
            if statement.node.get("kind") in ("TRANS_STMT_BEGIN", "TRANS_STMT_START"):
                self.report_at(
                    statement,
                    f"{tool} already runs this file in a transaction, which COMMIT ends; "
                    "remove BEGIN and COMMIT",
                )
                break
