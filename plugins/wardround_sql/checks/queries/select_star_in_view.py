from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.queries.facts import view_stars


class SelectStarInView(SqlCheck):
    """SELECT * in a view.

    The star is expanded when the view is created: later columns are missing, a column of the table cannot be
    dropped while the view exists, and columns may be exposed unintentionally. Name the columns. BigQuery and
    SQLite expand it when the view is queried.
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
        if self.script.dialect in _EXPANDED_WHEN_QUERIED:
            return
        for fact in view_stars(self.script):
            self.report(
                fact.span,
                f"SELECT * in view {fact.view} is expanded when the view is created; "
                f"name the columns{fact.note}",
            )


_EXPANDED_WHEN_QUERIED = frozenset({"bigquery", "sqlite"})
"""Dialects in which a view keeps its star, so that it returns columns that are added later."""
