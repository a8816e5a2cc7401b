from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.queries.facts import offsets


class OffsetPagination(SqlCheck):
    """Pagination with OFFSET.

    The database reads and discards all rows before the page, so later pages are slower, and rows inserted or
    deleted meanwhile appear twice or not at all. Continue from the last key: ``WHERE id > $1 ORDER BY id
    LIMIT n``.
    """

    ID = "SQ034"
    NAME = "offset-pagination"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    WORDS = ("offset", "limit")

    VALID = [
        code("""
            select a from notes where id > $1 order by id limit 10;
        """),
        code("""
            select a from notes order by id limit 1 offset 1;
        """),
    ]
    INVALID = [
        code(
            """
            SELECT a FROM notes ORDER BY id LIMIT 10 «OFFSET» @page;
            """,
            path="tsql/q.sql",
        ),
        code("""
            select a from notes order by id limit $1 offset «$2»;
        """),
    ]

    def run(self) -> None:
        for fact in offsets(self.script):
            if not self.script.is_non_production:
                self.report(
                    fact.span,
                    "OFFSET reads and discards all rows before the page; "
                    f"continue from the last key{fact.note}",
                )
