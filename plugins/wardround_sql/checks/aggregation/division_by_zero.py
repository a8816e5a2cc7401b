from __future__ import annotations

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround_sql.queries.quotient_check import QuotientCheck


class DivisionByZero(QuotientCheck):
    """Division by a sum or a count that may be 0.

    A single group without a matching row raises an error, and the query returns nothing at all. Write ``x /
    NULLIF(sum(y), 0)``, or ``SAFE_DIVIDE`` and the like where the dialect has it.
    """

    ID = "SQ073"
    NAME = "division-by-zero"
    SEVERITY = Severity.INFO

    VALID = [
        code("""
            select sum(a) / nullif(sum(b), 0), sum(a) / count(*) from t;
        """),
        code("""
            select case when sum(b) > 0 then sum(a) / sum(b) end from t;
        """),
    ]
    INVALID = [
        code("""
            select «sum»(a) / sum(b) from t group by c;
        """),
        code(
            """
            SELECT
              «SUM»(t.a) / SUM(t.b) AS r
            FROM `p.d.t` t;
            """,
            path="bigquery/q.sql",
        ),
    ]

    def run(self) -> None:
        if self.script.is_non_production:
            return
        from wardround_sql.queries.quotients import unguarded_quotients  # sqlglot is slow to import

        for fact in unguarded_quotients(self.script):
            self.report(
                fact.span, f"{fact.detail} may be 0, which raises an error; use NULLIF(..., 0){fact.note}"
            )
