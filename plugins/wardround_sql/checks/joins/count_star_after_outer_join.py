"""SQ042: ``count(*)`` after LEFT JOIN."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck


class CountStarAfterOuterJoin(SqlCheck):
    """``count(*)`` over a LEFT JOIN, which also counts the row without a match.

    A group without any match has the count 1 instead of 0. Count a column of the joined table that is never
    NULL: ``count(b.id)``.
    """

    ID = "SQ042"
    NAME = "count-star-after-outer-join"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "count-of-outer-rows"
    SEVERITY = Severity.INFO
    WORDS = ("left ",)

    VALID = [
        code("""
            select a.id, count(b.id) from a left join b on b.a_id = a.id group by a.id;
        """),
        code("""
            select a.id, count(*) from a join b on b.a_id = a.id group by a.id;
        """),
    ]
    INVALID = [
        code("""
            select a.id, «count»(*) from a left join b on b.a_id = a.id group by a.id;
        """),
        code(
            """
            SELECT a.id,
              «COUNT»(*) AS n FROM a LEFT JOIN b ON b.a_id = a.id GROUP BY a.id;
            """,
            path="mysql/q.sql",
        ),
    ]

    def run(self) -> None:
        if self.script.is_non_production or "group by" not in " ".join(self.script.sql.lower().split()):
            return
        from wardround_sql.queries.aggregation import counts_of_none  # sqlglot is slow to import

        for fact in counts_of_none(self.script):
            text = (
                f"count(*) is 1 where no row of {fact.subject} matches; "
                f"count a column of it instead{fact.note}"
            )
            self.report(fact.span, text)
