from __future__ import annotations

from wardround.rules.cases import code
from wardround_sql.check import SqlCheck


class NullInSum(SqlCheck):
    """Addition or subtraction of a column from a grouped subquery joined by LEFT JOIN, without ``coalesce``.

    The column is NULL where the subquery has no matching row, which makes the entire expression NULL although
    its other terms have values. Write ``coalesce(column, 0)``.
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
        if self.script.is_non_production or "group by" not in " ".join(self.script.sql.lower().split()):
            return
        from wardround_sql.queries.windows import missing_terms  # sqlglot is slow to import

        for fact in missing_terms(self.script):
            text = (
                f"{fact.subject} is NULL where {fact.detail} has no matching row, "
                "which makes the expression NULL; "
                f"use coalesce"
            )
            self.report(fact.span, text + fact.note)
