"""SQ028: index dropped or rebuilt under a lock, in a migration written as code."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck


class IndexDroppedWithoutConcurrently(SqlCheck):
    """Index dropped or rebuilt without CONCURRENTLY, in a migration written as code.

    The statement waits for all running queries on the table, and blocks all later ones. Add CONCURRENTLY.
    squawk reports the same for migrations in SQL.
    """

    ID = "SQ028"
    NAME = "index-dropped-without-concurrently"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "index-dropped-under-lock"
    WORDS = ("drop index", "reindex")

    CASE_PATH = "migrations/versions/1a2b_drop.py"
    VALID = [
        code("""
            def upgrade():
                op.drop_index('i', postgresql_concurrently=True)
        """),
        code("""
            def upgrade():
                op.drop_index('i', 'a')
                op.drop_table('a')
        """),
    ]
    INVALID = [
        code("""
            def upgrade():
                «op.drop_index»('i', 'a')
        """),
        code(
            """
            class A < ActiveRecord::Migration[7.1]
              def change
                «remove_index» :notes, :a
              end
            end
            """,
            path="db/migrate/20240101000000_a.rb",
        ),
    ]

    def run(self) -> None:
        removed = any(s.node.get("removeType") == "OBJECT_TABLE" for s in self.script.of("DropStmt"))
        if self.script.is_sql or removed:
            return
        for statement in self.script.of("DropStmt", "ReindexStmt"):
            node = statement.node
            drops = node.get("removeType") == "OBJECT_INDEX" and not node.get("concurrent")
            rebuilds = statement.kind == "ReindexStmt" and "concurrently" not in statement.text.lower()
            if (drops or rebuilds) and self.script.migrates(statement):
                self.report_at(
                    statement,
                    "statement waits for all running queries on the table and blocks later ones; "
                    "add CONCURRENTLY",
                )
