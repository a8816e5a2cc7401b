"""SQ046: ``last_value`` of a window that ends at the row itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck


class LastValueWithoutFrame(SqlCheck):
    """last_value() over an ordered window gives the value of the row itself.

    Without a frame the window ends at the current row and its peers, so the last value so far is this one.
    Write ``ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING``, or order the other way and take
    ``first_value``.
    """

    ID = "SQ046"
    NAME = "last-value-without-frame"
    WORDS = ("last_value",)
    TRIED_ON = "15 trees: one hit, for Snowflake, where the window has no such end: left out since"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select first_value(a) over (partition by b order by c) from notes;\n"),
        valid(
            "select last_value(a) over (partition by b order by c rows between unbounded preceding "
            "and unbounded following) from notes;\n"
        ),
        valid("select last_value(a) over (partition by b) from notes;\n"),
        valid(
            "select last_value(a) over w from notes window w as (partition by b order by c rows between "
            "current row and unbounded following);\n"
        ),
        valid("select last_value from notes_id_seq;\n"),
        valid("select last_value(a) over (partition by b order by c) from notes;\n", "snowflake/q.sql"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select last_value(a) over (partition by b order by c) from notes;\n", 1, 8),
        invalid(
            "select b,\n  last_value(a) over w\nfrom notes window w as (partition by b order by c);\n", 2, 3
        ),
        invalid("SELECT `b`, LAST_VALUE(`a`) OVER (ORDER BY `c`) FROM `notes`;\n", 1, 13, "mysql/q.sql"),
    ]

    def run(self) -> None:
        if self.script.is_spare or "over" not in self.script.sql.lower():
            return
        from wardround_sql.queries.windows import unframed  # sqlglot is slow to import

        for found in unframed(self.script):
            self.report(
                found.span, f"the window ends at this row, so this is the row's own value{found.note}"
            )
