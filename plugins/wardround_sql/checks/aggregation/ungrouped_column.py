"""SQ043: a column that is not grouped by."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck

_LENIENT = ("mysql", "sqlite")


class UngroupedColumn(SqlCheck):
    """A query that is grouped shows or tests a column of no certain value.

    A group has many rows, and nothing says which of them the value comes from. MySQL (without
    ONLY_FULL_GROUP_BY) and SQLite take any of them; other databases refuse the query, and nothing is said of
    those. Group by the column too, or say which value is meant: ``max(...)``.
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
        if self.script.is_spare or self.script.dialect not in _LENIENT:
            return  # the others refuse the query when it first runs
        from wardround_sql.queries.aggregation import ungrouped  # sqlglot is slow to import

        for found in ungrouped(self.script):
            text = (
                f"{found.subject} is neither grouped by nor in an aggregate: "
                f"which row it is from is left to chance"
            )
            self.report(found.span, f"{text}{found.note}")
