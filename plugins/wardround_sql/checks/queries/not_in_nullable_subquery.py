"""SQ030: NOT IN over a nullable column."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.queries.fact_types import Exclusion
from wardround_sql.queries.facts import not_ins


class NotInNullableSubquery(SqlCheck):
    """NOT IN over a subquery that may return NULL.

    ``x NOT IN (1, NULL)`` is never true, so one NULL in the column silently makes the result empty. Use ``NOT
    EXISTS``, or add ``WHERE column IS NOT NULL`` to the subquery.
    """

    ID = "SQ030"
    NAME = "not-in-nullable-subquery"
    MATURITY = Maturity.PREVIEW
    WORDS = ("not in", "not  in", "in (", "in(", "all (", "all(", "all\n")

    VALID = [
        code("""
            select a from notes where b not in (select c from other where c is not null);
        """),
        code("""
            select a from notes where b not in (1, 2);
        """),
    ]
    INVALID = [
        code("""
            select a from notes where b «<»> all (
              select c from x union all select d from y);
        """),
        code("""
            create table other (c int);
            select a from notes where b «not» in (select c from other);
        """),
    ]

    def run(self) -> None:
        reported: set[tuple[int, int]] = set()
        for fact in not_ins(self.script):
            required = self._is_required(fact)
            if required is None and self.script.is_template:
                continue  # the columns of a model are in no schema
            if required is not True and fact.span.start not in reported:
                reported.add(fact.span.start)
                text = f"NOT IN matches no row if any {fact.column} is NULL; use NOT EXISTS{fact.note}"
                self.report(fact.span, text, severity=None if required is False else Severity.INFO)

    def _is_required(self, exclusion: Exclusion) -> bool | None:
        """Return True if the column is NOT NULL; None if it is unknown."""
        if exclusion.table is not None and self.script.is_postgres:
            table = self.script.known_table(exclusion.table)
            if table is not None and exclusion.column in table.columns:
                return table.columns[exclusion.column].required
        return True if exclusion.column in ("id", "uuid", "pk") else None
