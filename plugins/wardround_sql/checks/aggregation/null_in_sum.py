"""SQ047: a sum that is NULL where LEFT JOIN finds nothing."""

from __future__ import annotations

from wardround.checks.cases import code
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

    VALID = [
        code("""
            select a.x - r.t from a join (select k, sum(v) as t from b group by k) r on r.k = a.k;
        """),
        code("""
            select a.x - r.t from a left join r on r.k = a.k;
        """),
    ]
    INVALID = [
        code("""
            select a.x - «r.t» from a left join (select k, sum(v) as t from b group by k) r on r.k = a.k;
        """),
        code("""
            with r as (select k, sum(v) as t from b group by k)
            select a.x + («r.t» - 2) as y from a left join r on r.k = a.k;
        """),
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
