from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck


class DuplicateIndex(SqlCheck):
    """Index identical to another index of the table.

    Every write updates both, and queries use only one. Drop one of them.
    """

    ID = "SQ017"
    NAME = "duplicate-index"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.PERF
    WORDS = ("index",)

    VALID = [
        code("""
            create index a on notes (x);
            create index b on notes (y);
        """),
        code("""
            create index a on notes (x);
            create index b on notes (x) where y is null;
        """),
    ]
    INVALID = [
        code("""
            create index a on notes (x);
            «create index b on notes (x)»;
        """),
        code(
            """
            «create index b on notes using btree (lower(x), y desc)»;
            """,
            others={
                "db/migrations/0001_a.sql": """
                create index a on notes (lower(x), y desc);
                """,
            },
        ),
    ]

    def run(self) -> None:
        seen: dict[tuple[object, str], str] = {}
        if not any(True for _ in self.script.of("IndexStmt")):
            return
        for index in (index for item in self.script.set_schema.indexes.values() for index in item):
            known = seen.setdefault((index.table, index.shape), index.name)
            if known != index.name and self.is_here(index.statement):
                self.report_at(
                    index.statement, f'index "{index.name}" duplicates "{known}" on {index.table}; drop one'
                )
