"""SQ031: tables side by side that nothing connects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.queries import cross_joins


class ImplicitCrossJoin(SqlCheck):
    """Two tables stand in FROM with a comma, and no condition connects them.

    The result has every row of one beside every row of the other. A forgotten condition is the usual cause;
    if all pairs are meant, write ``CROSS JOIN``.
    """

    ID = "SQ031"
    NAME = "implicit-cross-join"
    WORDS = ("from",)
    TRIED_ON = "sqlfluff's fixtures bring no crash; no place in a fetched checkout was read"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select 1 from a, b where a.id = b.a_id;\n"),
        valid("select 1 from a cross join b;\n"),
        valid("select 1 from a, unnest(a.tags) t;\n"),
        valid("with one as (select 1) select 1 from a, one;\n"),
        valid("select 1 from a, b where x = y;\n"),
        valid("select `a`.x from `a`, b where a.id = b.id;\nSELECT 1 FROM a CROSS JOIN b;\n", "mysql/q.sql"),
        valid("select 1 from a, b, c where a.id = b.id and c.x = b.x;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select a.x from a, b;\n", 1, 20),
        invalid("select 1\nfrom orders o, items i, users u\nwhere o.id = i.order_id and u.active;\n", 2, 25),
        invalid("create view v as select a.x from a, b where a.x = 1;\n", 1, 37),
        invalid("SELECT a.x FROM a, b WHERE a.x > 1;\n", 1, 20, "mysql/q.sql"),
        Invalid(
            'session.execute(text("SELECT 1 FROM a, b WHERE a.x > 1"))\n', line=1, column=40, path="app/q.py"
        ),
    ]

    def run(self) -> None:
        for found in cross_joins(self.script):
            first, second = found.tables
            self.report(
                found.span,
                f"nothing connects {second} with {first}: every pair of rows comes out{found.note}",
            )
