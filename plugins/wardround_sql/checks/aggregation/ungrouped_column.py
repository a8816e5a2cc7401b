"""SQ043: column outside GROUP BY and aggregates."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck

_LENIENT = ("mysql", "sqlite")


class UngroupedColumn(SqlCheck):
    """Column in a grouped query that is neither in GROUP BY nor in an aggregate.

    A group has many rows, and the value comes from an arbitrary one of them in MySQL (without
    ONLY_FULL_GROUP_BY) and SQLite. Add the column to GROUP BY, or choose a value with an aggregate such as
    ``max(...)``. Other databases reject the query, so it is not reported for them.
    """

    ID = "SQ043"
    NAME = "ungrouped-column"
    MATURITY = Maturity.PREVIEW
    WORDS = ("group by", "group  by", "group\n")

    VALID = [
        code("""
            select a, b, count(*) from notes group by a, b;
        """),
        code("""
            select n.id, n.title, count(*) from notes n join o on o.note_id = n.id group by n.id;
        """),
    ]
    INVALID = [
        code(
            """
            select a, «b», count(*) from notes group by a;
            """,
            path="mysql/q.sql",
        ),
        code(
            """
            SELECT p.id, MAX(v.at),
              «v.code»
            FROM p JOIN v ON v.p_id = p.id GROUP BY p.id;
            """,
            path="mysql/q.sql",
        ),
    ]

    def run(self) -> None:
        if self.script.is_non_production or self.script.dialect not in _LENIENT:
            return  # other databases reject the query at its first run
        from wardround_sql.queries.aggregation import ungrouped  # sqlglot is slow to import

        for fact in ungrouped(self.script):
            text = (
                f"{fact.subject} is neither in GROUP BY nor in an aggregate, "
                "so its value comes from an arbitrary row"
            )
            self.report(fact.span, f"{text}{fact.note}")
