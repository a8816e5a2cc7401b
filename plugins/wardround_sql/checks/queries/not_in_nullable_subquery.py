"""SQ030: NOT IN over values that may be NULL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.queries.facts import Exclusion, not_ins


class NotInNullableSubquery(SqlCheck):
    """NOT IN over a subquery that can give NULL finds nothing as soon as it does.

    ``x NOT IN (1, NULL)`` is never true. One NULL in the column, and the query silently gives no rows. Use
    ``NOT EXISTS``, or say ``WHERE column IS NOT NULL`` in the subquery.
    """

    ID = "SQ030"
    NAME = "not-in-nullable-subquery"
    WORDS = ("not in", "not  in", "in (", "in(", "all (", "all(", "all\n")
    TRIED_ON = "its cases alone; the checkouts tried have no place to read"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select a from notes where b not in (select c from other where c is not null);\n"),
        valid("select a from notes where b not in (1, 2);\n"),
        valid(
            "create table other (c int not null);\nselect a from notes where b not in (select c "
            "from other);\n"
        ),
        valid("select a from notes where b not in (select id from other);\n"),
        valid("select a from notes n where not exists (select from other o where o.c = n.b);\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid(
            "select a from notes where b <> all (\n  select c from x union all select d from y);\n", 1, 29
        ),
        invalid(
            "create table other (c int);\nselect a from notes where b not in (select c from other);\n", 2, 29
        ),
        invalid("delete from notes where b not in (select o.parent_id from other o);\n", 1, 27),
        Invalid(
            'q = text("SELECT a FROM notes WHERE b NOT IN (SELECT c FROM other)")\n',
            line=1,
            column=39,
            path="app/q.py",
        ),
    ]

    def run(self) -> None:
        told: set[tuple[int, int]] = set()
        for found in not_ins(self.script):
            required = self._is_required(found)
            if required is not True and found.span.start not in told:
                told.add(found.span.start)
                text = f"NOT IN gives no rows as soon as one {found.column} is NULL{found.note}"
                self.report(found.span, text, severity=None if required is False else Severity.INFO)

    def _is_required(self, found: Exclusion) -> bool | None:
        """Whether the column cannot be NULL; None if nothing here tells."""
        if found.table is not None and self.script.is_postgres:
            table = self.script.known_table(found.table)
            if table is not None and found.column in table.columns:
                return table.columns[found.column].required
        return True if found.column in ("id", "uuid", "pk") else None
