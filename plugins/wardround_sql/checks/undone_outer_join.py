"""SQ044: a LEFT JOIN that WHERE undoes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck


class UndoneOuterJoin(SqlCheck):
    """WHERE compares a column of the table that LEFT JOIN brings, so rows without a match fall out again.

    The column is NULL there, and no comparison with NULL is true. Put the condition into ON if those rows are
    wanted; write JOIN if they are not.
    """

    ID = "SQ044"
    NAME = "outer-join-undone"
    SEVERITY = Severity.INFO
    WORDS = ("left ",)
    TRIED_ON = (
        "two dbt projects, a Supabase one and 24 more trees: 31 hits, 30 of them right, one arguable: a "
        "note; 500 commits of ten others: 5, 2 in EXISTS, which asks for no more, left out since"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select a.x from a left join b on b.a_id = a.id and b.y = 1;\n"),
        valid("select a.x from a left join b on b.a_id = a.id where b.id is null;\n"),
        valid(
            "select c.x from c where exists "
            "(select 1 from a left join b on b.a_id = a.id where a.c_id = c.id and b.shown);\n"
        ),
        valid("select a.x from a left join b on b.a_id = a.id where b.y = 1 or b.y is null;\n"),
        valid("select a.x from a left join b on b.a_id = a.id where a.y = 1;\n"),
        valid("select a.x from a left join b on b.a_id = a.id where coalesce(b.y, 0) = 0;\n"),
        valid("select a.x from a left join b on b.a_id = a.id where b.y is distinct from 1;\n"),
        valid("select a.x from a left join b on b.a_id = a.id where b.y is not true;\n"),
        valid(
            "select a.x from a left join b on b.a_id = a.id where not exists "
            "(select 1 from c where c.y = b.y);\n"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select a.x from a left join b on b.a_id = a.id where b.y = 1;\n", 1, 54),
        Invalid(
            'q = text("SELECT a.x FROM a LEFT JOIN b ON b.a_id = a.id WHERE b.y = :y")\n',
            line=1,
            column=64,
            path="app/q.py",
        ),
        invalid(
            "SELECT a.x FROM a LEFT JOIN b ON b.a_id = a.id\nWHERE a.z = 1 AND b.y IN (1, 2);\n",
            2,
            19,
            "mysql/q.sql",
        ),
        invalid("select a.x from a left join b on b.a_id = a.id where b.y <> 'void' and a.z;\n", 1, 54),
        invalid("select a.x from a left join b using (a_id) where lower(b.y) = 'x';\n", 1, 56),
        invalid("select a.x from a left join b on b.a_id = a.id where not b.gone;\n", 1, 58),
        invalid("select a.x from a left join b on b.a_id = a.id where '2024-01-01' <= b.y;\n", 1, 70),
    ]

    def run(self) -> None:
        if self.script.is_spare or "where" not in self.script.sql.lower():
            return
        from wardround_sql.shapes import undone_outer_joins  # sqlglot is slow to import

        for found in undone_outer_joins(self.script):
            text = (
                f"this takes away the rows without a match in {found.subject}, "
                f"which LEFT JOIN keeps{found.note}"
            )
            self.report(found.span, text)
