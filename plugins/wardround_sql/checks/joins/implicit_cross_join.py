"""SQ031: tables side by side that nothing connects."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.queries.joins import cross_joins, loose_updates, one_sided_joins, severed_joins


class ImplicitCrossJoin(SqlCheck):
    """No condition connects two tables of FROM.

    They stand there with a comma, or with a JOIN whose condition is about one of them alone. The result
    has every
    row of one beside every row of the other. A forgotten condition or a wrong alias is the usual cause; if
    all
    pairs are meant, write ``CROSS JOIN``.
    """

    ID = "SQ031"
    NAME = "implicit-cross-join"
    MATURITY = Maturity.PREVIEW
    WORDS = ("from",)

    VALID = [
        code("""
            select 1 from a, b where a.id = b.a_id;
        """),
        code("""
            select 1 from a cross join b;
        """),
    ]
    INVALID = [
        code("""
            select a.x from a, «b»;
        """),
        code("""
            select 1 from a, «b»
            where a.id = b.id and a.x = 1 or a.x = 2;
        """),
    ]

    def run(self) -> None:
        script = self.script
        if script.is_spare:
            return
        for found in (
            *cross_joins(script),
            *one_sided_joins(script),
            *severed_joins(script),
            *loose_updates(script),
        ):
            first, second = found.tables
            self.report(
                found.span,
                f"nothing connects {second} with {first}: every pair of rows comes out{found.note}",
            )
