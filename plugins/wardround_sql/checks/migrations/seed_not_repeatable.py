"""SQ058: rows that come in again each time a seed file runs."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import content
from wardround_sql.parsing.statements import Statement
from wardround_sql.project import migration_files


class SeedNotRepeatable(SqlCheck):
    """A seed file that may run twice has an INSERT that may not.

    Its other inserts say ``ON CONFLICT``, so the file is meant to run again; this one adds its rows each
    time, or
    fails on them. Give the table a key to conflict on and say ``ON CONFLICT``, or insert where nothing is
    there.
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
        bare = [s for s in inserts if "onConflictClause" not in s.node]
        emptied = {s.kind for s in self.script.of("TruncateStmt", "DeleteStmt")}
        if emptied or len(bare) == len(inserts) or len(bare) > len(inserts) - len(bare):
            return
        for statement in bare:
            if _gives_rows(statement):
                name = self.script.name_of(statement.node.get("relation", {}))
                self.say(
                    statement, f"these rows of {name} come in again when the file runs again; say ON CONFLICT"
                )


def _gives_rows(statement: Statement) -> bool:
    """Whether an INSERT has its rows written down, whatever is there already."""
    select = content(statement.node.get("selectStmt"), "SelectStmt") or {}
    return bool(select.get("valuesLists"))
