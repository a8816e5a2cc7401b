from __future__ import annotations

from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck


class SumOverUnion(SqlCheck):
    """Sum over a UNION, which removes duplicate rows.

    Two payments of the same amount on the same day count once. Write ``UNION ALL``.
    """

    ID = "SQ074"
    NAME = "sum-over-union"
    SIGN = LazyPattern(r"(?i)\bunion\b(?!\s+all\b)")
    WORDS = ("union",)

    VALID = [
        code("""
            select sum(a) from (select a from b union all select a from c) x;
        """),
        code("""
            select count(*) from (select a from b union select a from c) x;
        """),
    ]
    INVALID = [
        code("""
            select «sum»(a) from (select a from b union select a from c) x;
        """),
        code("""
            with x as (select d, a from b union select d, a from c)
            select d, «sum»(x.a) from x group by d;
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production:
            return
        from wardround_sql.queries.quotients import sums_of_unions  # sqlglot is slow to import

        for fact in sums_of_unions(self.script):
            self.report(
                fact.span, f"UNION removes duplicate rows before {fact.subject}; use UNION ALL{fact.note}"
            )
