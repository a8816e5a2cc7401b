"""SQ058: INSERT without ON CONFLICT in a repeatable seed file."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import content
from wardround_sql.parsing.statements import Statement
from wardround_sql.project import migration_files


class SeedNotRepeatable(SqlCheck):
    """INSERT without ON CONFLICT in a seed file whose other inserts have it.

    The other inserts allow the file to run again; this one inserts duplicate rows or fails. Add a unique key
    and ``ON CONFLICT``, or insert only where the row does not exist.
    """

    ID = "SQ058"
    NAME = "seed-not-repeatable"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.CONTRACT
    DEFECT_CLASS = "seed-not-repeatable"
    WORDS = ("on conflict",)

    CASE_PATH = "db/seeds/010_reference.sql"
    VALID = [
        code("""
            insert into a (b) values (1);
        """),
        code("""
            insert into a (b) values (1) on conflict do nothing;
        """),
    ]
    INVALID = [
        code("""
            insert into a (b) values (1) on conflict do nothing;
            «insert into c (b) values (1)»;
        """),
        code(
            """
            insert into a (b) values (1) on conflict (b) do update set b = 2;

            «insert into c (b)»
            values (1), (2);
            """,
            path="supabase/seed.sql",
        ),
    ]

    def run(self) -> None:
        if not migration_files.is_seed(self.source.path) or not self.script.is_postgres:
            return
        inserts = list(self.script.of("InsertStmt"))
        bare = [insert for insert in inserts if "onConflictClause" not in insert.node]
        is_repeatable = len(bare) < len(inserts) and 2 * len(bare) <= len(inserts)
        if not is_repeatable or any(True for _ in self.script.of("TruncateStmt", "DeleteStmt")):
            return
        for statement in filter(_has_literal_rows, bare):
            name = self.script.name_of(statement.node.get("relation", {}))
            self.report_at(
                statement,
                f"INSERT into {name} repeats or fails when the seed file runs again; add ON CONFLICT",
            )


def _has_literal_rows(statement: Statement) -> bool:
    """Return True if an INSERT has literal rows, whatever the table contains."""
    select = content(statement.node.get("selectStmt"), "SelectStmt") or {}
    return bool(select.get("valuesLists"))
