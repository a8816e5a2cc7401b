"""SQ042: a count that is one where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck


class CountStarAfterOuterJoin(SqlCheck):
    """``count(*)`` counts the row that LEFT JOIN brings where nothing matches.

    A group without a single match comes out with 1 instead of 0. Count a column of the joined table that
    is never
    NULL: ``count(b.id)``.
    """

    ID = "SQ042"
    NAME = "count-star-after-outer-join"
    DEFECT_CLASS = "count-of-outer-rows"
    SEVERITY = Severity.INFO
    WORDS = ("left ",)
    TRIED_ON = "24 trees, two of them dbt projects: no hit"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select a.id, count(b.id) from a left join b on b.a_id = a.id group by a.id;\n"),
        valid("select a.id, count(*) from a join b on b.a_id = a.id group by a.id;\n"),
        valid("select a.id, b.kind, count(*) from a left join b on b.a_id = a.id group by a.id, b.kind;\n"),
        valid("select b.a_id, count(*) from b left join a on a.id = b.a_id where a.x = 1 group by b.a_id;\n"),
        valid("select b.kind, count(*) from b left join a on a.id = b.a_id group by b.kind;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select a.id, count(*) from a left join b on b.a_id = a.id group by a.id;\n", 1, 14),
        invalid(
            "SELECT a.id,\n  COUNT(*) AS n FROM a LEFT JOIN b ON b.a_id = a.id GROUP BY a.id;\n",
            2,
            3,
            "mysql/q.sql",
        ),
        Invalid(
            'q = text("SELECT a.id, count(1) AS n FROM a LEFT JOIN b ON b.a_id = a.id GROUP BY a.id")\n',
            line=1,
            column=24,
            path="app/q.py",
        ),
    ]

    def run(self) -> None:
        if self.script.is_spare or "group by" not in " ".join(self.script.sql.lower().split()):
            return
        from wardround_sql.queries.aggregation import counts_of_none  # sqlglot is slow to import

        for found in counts_of_none(self.script):
            text = (
                f"this is 1 where no row of {found.subject} matches; count a column of it instead{found.note}"
            )
            self.report(found.span, text)
