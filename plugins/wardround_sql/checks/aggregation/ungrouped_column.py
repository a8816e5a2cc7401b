"""SQ043: a column that is not grouped by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_sql.cases import invalid, valid
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
    WORDS = ("group by", "group  by", "group\n")
    TRIED_ON = "24 trees: 59 hits, the 23 read all wrong (FILTER, templates, keys); mended: none in 8 trees"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select a, b, count(*) from notes group by a, b;\n"),
        valid("select n.id, n.title, count(*) from notes n join o on o.note_id = n.id group by n.id;\n"),
        valid("select a, max(b) from notes group by a having count(*) > 1;\n"),
        valid("select date(a) as day, count(*) from notes group by day;\n"),
        valid("select a, (select max(o.b) from o where o.c = notes.a) from notes group by a;\n"),
        valid("select a, count(*) filter (where b > 1) from notes group by a;\n"),
        valid("select a, {{ dbt.pivot('b') }} from {{ ref('notes') }} group by a\n", "models/a.sql"),
        valid("select a as x, count(*) from notes group by x;\n"),
        valid("SELECT host, at, MAX(at) FROM probe GROUP BY host;\n", "sqlite/q.sql"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select a, b, count(*) from notes group by a;\n", 1, 11, "mysql/q.sql"),
        invalid(
            "SELECT p.id, MAX(v.at),\n  v.code\nFROM p JOIN v ON v.p_id = p.id GROUP BY p.id;\n",
            2,
            3,
            "mysql/q.sql",
        ),
        invalid("SELECT host, COUNT(*) FROM probe GROUP BY host\nHAVING ok = 0;\n", 2, 8, "sqlite/q.sql"),
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
