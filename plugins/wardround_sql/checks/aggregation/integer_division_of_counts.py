from __future__ import annotations

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.queries.quotient_check import QuotientCheck


class IntegerDivisionOfCounts(QuotientCheck):
    """Integer division of two counts, which discards the fraction.

    PostgreSQL, SQL Server, SQLite and Redshift divide integers as integers: 3 / 4 is 0. Cast one of them to
    ``numeric``, or begin with ``1.0 *`` or ``100.0 *``.
    """

    ID = "SQ072"
    NAME = "integer-division-of-counts"
    MATURITY = Maturity.PREVIEW

    VALID = [
        code("""
            select 100.0 * count(*) filter (where a) / count(*) from t;
        """),
        code("""
            select count(a)::numeric / count(*) from t;
        """),
    ]
    INVALID = [
        code("""
            select
              «count»(*) filter (where a) / count(*) as share
            from t;
        """),
        code("""
            select «sum»(case when a = 1 then 1 else 0 end) / nullif(count(*), 0) from t;
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production:
            return
        from wardround_sql.queries.quotients import truncating_quotients  # sqlglot is slow to import

        for fact in truncating_quotients(self.script):
            effect = "is always 0 or 1" if fact.detail else "loses its fraction"
            self.report(
                fact.span,
                f"{fact.subject} {effect}: both operands are integers; cast one to numeric{fact.note}",
                severity=None if fact.detail else Severity.INFO,
            )
