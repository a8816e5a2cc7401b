"""SQ044: a LEFT JOIN that WHERE undoes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity, Span
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck

_MADE = LazyPattern(
    r"(?i)\bcreate\s+(?:or\s+(?:replace|alter)\s+)?(?:materialized\s+)?(?:view|function|procedure)\s+"
    r"(?:if\s+not\s+exists\s+)?(?:[\w\"`]+\.)?[\"`]?(\w+)"
)
_JOIN = LazyPattern(r"(?i)\bleft\s+(?:outer\s+)?join\b")
_WORD = LazyPattern(r"[\w.\"`]+")
_READ = 20
"""Earlier files that are read, the last ones of those that name the object."""


class OuterJoinFiltered(SqlCheck):
    """WHERE compares a column of the table that LEFT JOIN brings, so rows without a match fall out again.

    The column is NULL there, and no comparison with NULL is true. Put the condition into ON if those rows are
    wanted; write JOIN if they are not.
    """

    ID = "SQ044"
    NAME = "outer-join-filtered"
    DEFECT_CLASS = "outer-join-undone"
    SEVERITY = Severity.INFO
    WORDS = ("left ",)
    TRIED_ON = (
        "two dbt projects, a Supabase one and 24 more trees: 31 hits, 30 of them right, one arguable: a "
        "note; 500 commits of ten others: 5, 2 in EXISTS, which asks for no more, and 3 in a function "
        "made anew that had it before, left out since"
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
        valid(  # the view is made anew for another column; what is joined stays as it was
            "create or replace view harvest as\nselect f.plot, f.weight, c.kind from field f\n"
            "left join crop c on c.field_id = f.id\nwhere c.ripe = 1;\n",
            path="db/migrations/0009_harvest.sql",
            others={
                "db/migrations/0004_harvest.sql": "CREATE VIEW harvest AS SELECT f.plot FROM field f "
                "LEFT JOIN crop c ON c.field_id = f.id WHERE c.ripe = 1;\n"
            },
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
        invalid(
            "create or replace view harvest as\nselect f.plot from field f\n"
            "left join crop c on c.field_id = f.id\nwhere c.ripe = 1;\n",
            4,
            7,
            others={
                "db/migrations/0001_harvest.sql": "create view harvest as select f.plot from field f "
                "left join crop c on c.field_id = f.id;\n"
            },
        ),
    ]

    def run(self) -> None:
        if self.script.is_spare or "where" not in self.script.sql.lower():
            return
        from wardround_sql.queries.aggregation import undone_outer_joins  # sqlglot is slow to import

        for found in undone_outer_joins(self.script):
            if self._is_carried_over(found.span):
                continue
            text = (
                f"this takes away the rows without a match in {found.subject}, "
                f"which LEFT JOIN keeps{found.note}"
            )
            self.report(found.span, text)

    def _is_carried_over(self, span: Span) -> bool:
        """Whether an earlier definition of the same view or routine has all from the join to that column."""
        text, end = self.source.text, self.script.offset_of(span) + 1
        made = list(_MADE.finditer(text, 0, end))
        joins = list(_JOIN.finditer(text, made[-1].end() if made else 0, end))
        if not made or not joins:
            return False
        words = _WORD.match(text, end - 1)
        part = _plain(text[joins[0].start() : words.end() if words else end])
        return any(part in earlier for earlier in self._earlier(made[-1][1]))

    def _earlier(self, name: str) -> Iterator[str]:
        """What is made of that name in files that this change leaves alone, each on one line."""
        project = self.source.project
        for path in project.files_with_word([name], ["*.sql"])[-_READ:]:
            if path == self.source.path or self.source.is_changed(path):
                continue
            text = project.read(path) or ""
            if any(one[1].lower() == name.lower() for one in _MADE.finditer(text)):
                yield _plain(text)


def _plain(sql: str) -> str:
    return " ".join(sql.lower().split())
