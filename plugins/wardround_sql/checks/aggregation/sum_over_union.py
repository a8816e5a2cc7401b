"""SQ074: a sum over a UNION."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck


class SumOverUnion(SqlCheck):
    """A sum is taken over a UNION, which keeps one of several equal rows.

    Two payments of the same amount on the same day count once. Write ``UNION ALL``.
    """

    ID = "SQ074"
    NAME = "sum-over-union"
    SIGN = LazyPattern(r"(?i)\bunion\b(?!\s+all\b)")
    WORDS = ("union",)
    TRIED_ON = "30 trees: 1 hit, right"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select sum(a) from (select a from b union all select a from c) x;\n"),
        valid("select count(*) from (select a from b union select a from c) x;\n"),
        valid("select sum(a) from b union select sum(a) from c;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select sum(a) from (select a from b union select a from c) x;\n", 1, 8),
        invalid(
            "with x as (select d, a from b union select d, a from c)\nselect d, sum(x.a) from x group "
            "by d;\n",
            2,
            11,
        ),
        invalid("SELECT SUM(a) FROM (SELECT a FROM b UNION SELECT a FROM c) x;\n", 1, 8, "mysql/q.sql"),
    ]

    def run(self) -> None:
        if self.script.is_spare:
            return
        from wardround_sql.queries.quotients import sums_of_unions  # sqlglot is slow to import

        for found in sums_of_unions(self.script):
            self.report(
                found.span, f"UNION leaves out equal rows before {found.subject}; UNION ALL{found.note}"
            )
