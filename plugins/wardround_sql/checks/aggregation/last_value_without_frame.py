"""SQ046: ``last_value`` without a window frame."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck


class LastValueWithoutFrame(SqlCheck):
    """``last_value()`` over an ordered window without a frame, which returns the value of the current row.

    The default frame ends at the current row and its peers, so the last value in it is the row's own. Write
    ``ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING``, or reverse the order and use
    ``first_value``.
    """

    ID = "SQ046"
    NAME = "last-value-without-frame"
    MATURITY = Maturity.PREVIEW
    WORDS = ("last_value",)

    VALID = [
        code("""
            select first_value(a) over (partition by b order by c) from notes;
        """),
        code("""
            select last_value(a) over (partition by b) from notes;
        """),
    ]
    INVALID = [
        code("""
            select «last_value»(a) over (partition by b order by c) from notes;
        """),
        code("""
            select b,
              «last_value»(a) over w
            from notes window w as (partition by b order by c);
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production or "over" not in self.script.sql.lower():
            return
        from wardround_sql.queries.windows import unframed  # sqlglot is slow to import

        for fact in unframed(self.script):
            self.report(
                fact.span,
                "the default frame ends at the current row, so last_value returns its own value; "
                f"add a frame{fact.note}",
            )
