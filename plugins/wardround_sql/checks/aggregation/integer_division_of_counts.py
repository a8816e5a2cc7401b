"""SQ072: a share of whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.queries.quotient_check import QuotientCheck


class IntegerDivisionOfCounts(QuotientCheck):
    """Two counts are divided, and what stands behind the point is cut off.

    PostgreSQL, SQL Server, SQLite and Redshift divide whole numbers as such: 3 of 4 is 0. Make one of them a
    ``numeric``, or begin with ``1.0 *`` or ``100.0 *``.
    """

    ID = "SQ072"
    NAME = "integer-division-of-counts"
    TRIED_ON = "30 trees: no hit"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select 100.0 * count(*) filter (where a) / count(*) from t;\n"),
        valid("select count(a)::numeric / count(*) from t;\n"),
        valid("select sum(price) / count(*) from t;\n"),
        valid("select count(*) / 2 from t;\n"),
        valid("SELECT COUNT(a) / COUNT(*) FROM t;\n", "mysql/q.sql"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select\n  count(*) filter (where a) / count(*) as share\nfrom t;\n", 2, 3),
        invalid("select sum(case when a = 1 then 1 else 0 end) / nullif(count(*), 0) from t;\n", 1, 8),
        invalid("select round(100 * count(a) / count(*), 2) from t;\n", 1, 14),
        invalid("SELECT COUNT(a) / COUNT(*) FROM dbo.t;\nGO\n", 1, 8),
    ]

    def run(self) -> None:
        if self.script.is_spare:
            return
        from wardround_sql.queries.quotients import truncated  # sqlglot is slow to import

        for found in truncated(self.script):
            cut = "is 0 or 1" if found.detail else "has no decimals"
            self.report(
                found.span,
                f"{found.subject} {cut}: whole numbers are divided as such{found.note}",
                severity=None if found.detail else Severity.INFO,
            )
