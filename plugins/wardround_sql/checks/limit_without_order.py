"""SQ033: some rows, but which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.queries import bare_limits


class LimitWithoutOrder(SqlCheck):
    """LIMIT without ORDER BY gives any rows.

    Which ones depends on the plan, on the last vacuum and on what else runs. Pages overlap or miss rows.
    Order by something unique.
    """

    ID = "SQ033"
    NAME = "limit-without-order-by"
    WORDS = ("limit", "fetch first", "fetch next")
    TRIED_ON = "formbricks and a starter kit: 2 read, both right"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select a from notes order by id limit 10;\n"),
        valid("select a from notes where id = 5 limit 1;\n"),
        valid("delete from notes where id in (select id from notes where old limit 1000);\n"),
        valid("select id from jobs limit 5 for update skip locked;\n"),
        valid("select count(*) from notes limit 10;\n"),
        valid("select generate_series(1, 100) limit 10;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select a from notes limit 10;\n", 1, 27),
        invalid("create view v as\nselect a from notes\nfetch first 5 rows only;\n", 3, 13),
        Invalid('cursor.execute("SELECT a FROM notes LIMIT %s", (n,))\n', line=1, column=43, path="app/q.py"),
    ]

    def run(self) -> None:
        for found in bare_limits(self.script):
            if not self.script.is_spare:
                self.report(
                    found.span, f"LIMIT without ORDER BY: which rows come out is left to chance{found.note}"
                )
