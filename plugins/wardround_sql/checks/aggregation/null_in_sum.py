"""SQ047: a sum that is NULL where LEFT JOIN finds nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck


class NullInSum(SqlCheck):
    """A column of a grouped subquery that LEFT JOIN brings is added to something as it is.

    Where the subquery has no row the column is NULL, and so is the whole sum, although the other terms are
    there. Write ``coalesce(column, 0)``.
    """

    ID = "SQ047"
    NAME = "null-in-sum"
    DEFECT_CLASS = "null-in-sum"
    WORDS = ("left ",)
    TRIED_ON = (
        "15 trees: 10 hits, 9 of them ratios and wrong; ratios are left out since, and one is left, true"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid(
            "select a.x - coalesce(r.t, 0) from a left join (select k, sum(v) as t from b group by k) r "
            "on r.k = a.k;\n"
        ),
        valid(
            "select coalesce(a.x - r.t, 0) from a left join (select k, sum(v) as t from b group by k) r "
            "on r.k = a.k;\n"
        ),
        valid("select a.x - r.t from a join (select k, sum(v) as t from b group by k) r on r.k = a.k;\n"),
        valid("select a.x - r.t from a left join r on r.k = a.k;\n"),
        valid(
            "select r.t / a.x from a left join (select k, sum(v) as t from b group by k) r on r.k = a.k;\n"
        ),
        valid(
            "select r.t / r.n from a left join (select k, sum(v) as t, count(*) as n from b group by k) "
            "r on r.k = a.k;\n"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid(
            "select a.x - r.t from a left join (select k, sum(v) as t from b group by k) r on r.k = a.k;\n",
            1,
            14,
        ),
        invalid(
            "with r as (select k, sum(v) as t from b group by k)\n"
            "select a.x + (r.t - 2) as y from a left join r on r.k = a.k;\n",
            2,
            15,
        ),
        Invalid(
            "const SQL = `SELECT a.x + t.n AS y FROM a LEFT JOIN (SELECT k, count(*) AS n FROM b GROUP "
            "BY k) t ON t.k = a.k`;\n",
            line=1,
            column=27,
            path="src/q.ts",
        ),
    ]

    def run(self) -> None:
        if self.script.is_spare or "group by" not in " ".join(self.script.sql.lower().split()):
            return
        from wardround_sql.queries.windows import missing_terms  # sqlglot is slow to import

        for found in missing_terms(self.script):
            text = (
                f"{found.subject} is NULL where {found.detail} has no row, and so is all of this; "
                f"use coalesce"
            )
            self.report(found.span, text + found.note)
