"""SQ032: a view with whatever columns there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.cases import invalid, valid
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
    TRIED_ON = "langfuse: 3 read, true and on purpose: a note"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("create view v as select a, b from notes;\n"),
        valid("create view v as select count(*) from notes;\n"),
        valid("create view v as with n as (select a from notes) select * from n;\n"),
        valid("select * from notes;\n"),
        valid("create table v as select * from notes;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from alembic_utils.pg_view import PGView\n"
            "a = PGView(schema='public', signature='a', definition='SELECT n.* FROM notes n')\n",
            line=2,
            column=63,
            path="app/entities.py",
        ),
        invalid("create view v as select * from notes;\n", 1, 25),
        invalid("select\n  n.*\nfrom notes n;\n", 2, 3, "db/views/open_notes_v02.sql"),
        invalid("create or replace view v as\nselect n.*, 1 as one from notes n;\n", 2, 8),
        invalid("create materialized view v as\nselect n.* from notes n;\n", 2, 8),
        invalid("create view v as with n as (select * from notes) select * from n;\n", 1, 36),
        invalid("create view v as select a from notes union all select * from other;\n", 1, 55),
        invalid("CREATE VIEW `v` AS SELECT * FROM `notes`;\nINSERT INTO `x` VALUES (1);\n", 1, 27),
    ]

    def run(self) -> None:
        for found in view_stars(self.script):
            self.report(
                found.span, f"view {found.view} has the columns of the day it is made; name them{found.note}"
            )
