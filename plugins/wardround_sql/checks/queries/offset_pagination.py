"""SQ034: pages by OFFSET."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.queries.facts import offsets


class OffsetPagination(SqlCheck):
    """Pages are cut out with OFFSET.

    The database reads and throws away every row before the page, so later pages get slower; and rows that
    come or go meanwhile are shown twice or never. Go on from the last key seen: ``WHERE id > $1 ORDER BY id
    LIMIT n``.
    """

    ID = "SQ034"
    NAME = "offset-pagination"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    WORDS = ("offset", "limit")
    TRIED_ON = "formbricks, storage: 4 read, all true; small tables do not mind: a note"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select a from notes where id > $1 order by id limit 10;\n"),
        valid("select a from notes order by id limit 1 offset 1;\n"),
        valid("SELECT a FROM notes ORDER BY id LIMIT 10 OFFSET 20;\n", "mysql/q.sql"),
        valid("select a as offset from notes;\n"),
        valid("SELECT a FROM notes ORDER BY id LIMIT ?;\n", "mysql/q.sql"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("SELECT a FROM notes ORDER BY id LIMIT 10 OFFSET @page;\n", 1, 42, "tsql/q.sql"),
        invalid("select a from notes order by id limit $1 offset $2;\n", 1, 49),
        Invalid(
            'import pymysql\n\nPAGE_SQL = "SELECT a FROM notes ORDER BY id LIMIT %s, %s"\n',
            line=3,
            column=45,
            path="app/q.py",
        ),
        Invalid(
            'cursor.execute("SELECT a FROM notes ORDER BY id LIMIT 10 OFFSET %s", (n,))\n',
            line=1,
            column=65,
            path="q.py",
        ),
        Invalid(
            "sql`SELECT a FROM notes ORDER BY id\nLIMIT 10 OFFSET ${page * 10}`\n",
            line=2,
            column=17,
            path="src/q.ts",
        ),
    ]

    def run(self) -> None:
        for found in offsets(self.script):
            if not self.script.is_spare:
                self.report(found.span, f"OFFSET reads and throws away all rows before the page{found.note}")
