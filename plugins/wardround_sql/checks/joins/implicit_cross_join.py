from __future__ import annotations

from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.queries.joins import cross_joins, loose_updates, severed_joins, unconnected_joins


class ImplicitCrossJoin(SqlCheck):
    """Tables in FROM that no condition connects.

    They are separated by a comma, or joined on a condition that concerns only one of them, so the result is
    the Cartesian product of their rows. A missing condition or a wrong alias is the usual cause; write
    ``CROSS JOIN`` for an intended product.
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
        if script.is_non_production:
            return
        for item in (
            *cross_joins(script),
            *unconnected_joins(script),
            *severed_joins(script),
            *loose_updates(script),
        ):
            first, second = item.tables
            self.report(
                item.span,
                f"no condition joins {second} with {first}, so the result has every pair of rows{item.note}",
            )
