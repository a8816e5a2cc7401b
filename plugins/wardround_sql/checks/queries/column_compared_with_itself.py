"""SQ070: a column compared with itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck


class ColumnComparedWithItself(SqlCheck):
    """Both sides of a comparison are the same column, so it holds for every row that has a value.

    In a function whose parameter has the name of a column, the name means the column. Give the parameter
    another name (``p_tenant_id``), or say ``function.parameter``; in a join, name the other table.
    """

    ID = "SQ070"
    NAME = "column-compared-with-itself"
    SIGN = LazyPattern(r"(?<![\w.])([\w.\"`]++)\s*(?:=|<>|!=|[<>]=?)\s*\1(?![\w.])")
    TRIED_ON = "30 trees: 1 hit, a template's filling, wrong; mended: none"
    WORDS = ("=", "<", ">")

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select a from t join u on t.id = u.id;\n"),
        valid("update t set a = a where b = c;\n"),
        valid(
            "create function f(b int) returns int language sql as $$ select a from t where t.b = f.b $$;\n"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select a from t join u on t.id = t.id;\n", 1, 27),
        invalid(
            "create function f(b int) returns void language sql as $$\n  delete from t where b = b;\n$$;\n",
            2,
            23,
        ),
        invalid("SELECT a FROM t WHERE t.b = t.b AND c = 1;\n", 1, 23, "mysql/q.sql"),
    ]

    def run(self) -> None:
        if self.script.is_spare:
            return
        from wardround_sql.queries.conditions import compared_with_themselves  # sqlglot is slow to import

        for found in compared_with_themselves(self.script):
            self.report(found.span, f"{found.subject} is compared with itself{found.note}")
