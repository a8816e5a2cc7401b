"""SQ032: a view with whatever columns there are."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck
from wardround_sql.queries.facts import view_stars


class SelectStarInView(SqlCheck):
    """A view selects all columns.

    The star is resolved when the view is made: columns added later are missing from it, and a column dropped
    from the table cannot be while the view stands. Columns nobody meant to show are shown. Name them.
    """

    ID = "SQ032"
    NAME = "select-star-in-view"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    WORDS = ("view", ".*", "select *")

    VALID = [
        code("""
            create view v as select a, b from notes;
        """),
        code("""
            create view v as select count(*) from notes;
        """),
    ]
    INVALID = [
        code(
            """
            from alembic_utils.pg_view import PGView
            a = PGView(schema='public', signature='a', definition='SELECT «n».* FROM notes n')
            """,
            path="app/entities.py",
        ),
        code("""
            create view v as select «*» from notes;
        """),
    ]

    def run(self) -> None:
        for found in view_stars(self.script):
            self.report(
                found.span, f"view {found.view} has the columns of the day it is made; name them{found.note}"
            )
