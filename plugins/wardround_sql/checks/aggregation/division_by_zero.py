"""SQ073: a division by a sum that may be nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.queries.quotient_check import QuotientCheck


class DivisionByZero(QuotientCheck):
    """A query divides by a sum or a count of some rows, and ends with an error where that is zero.

    One group without such a row, and nobody gets an answer. Write ``x / NULLIF(sum(y), 0)``, or
    ``SAFE_DIVIDE`` and the like where the dialect has it.
    """

    ID = "SQ073"
    NAME = "division-by-zero"
    SEVERITY = Severity.INFO
    TRIED_ON = "30 trees: 9 hits, 5 read, all true; whether the sum can be nothing is the data's: a note"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select sum(a) / nullif(sum(b), 0), sum(a) / count(*) from t;\n"),
        valid("select case when sum(b) > 0 then sum(a) / sum(b) end from t;\n"),
        valid("select sum(a) / sum(b) from t group by c having sum(b) > 0;\n"),
        valid("SELECT SUM(a) / SUM(b) FROM t;\n", "mysql/q.sql"),
        valid("SELECT SAFE_DIVIDE(SUM(a), SUM(b)) FROM `p.d.t`;\n", "bigquery/q.sql"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select sum(a) / sum(b) from t group by c;\n", 1, 8),
        invalid("SELECT\n  SUM(t.a) / SUM(t.b) AS r\nFROM `p.d.t` t;\n", 2, 3, "bigquery/q.sql"),
        invalid("select sum(a) / count(*) filter (where b) from t;\n", 1, 8),
    ]

    def run(self) -> None:
        if self.script.is_spare:
            return
        from wardround_sql.queries.quotients import unguarded  # sqlglot is slow to import

        for found in unguarded(self.script):
            self.report(
                found.span, f"{found.detail} may be 0, which ends the query; NULLIF(..., 0){found.note}"
            )
