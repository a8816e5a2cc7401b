"""SQ069: an OR that takes in more than was meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck


class AndOrWithoutParentheses(SqlCheck):
    """AND binds before OR, so the second value of a column comes without the other conditions.

    ``tenant = 1 AND state = 'a' OR state = 'b'`` finds the rows in state b of all tenants. Put brackets
    around the OR, or write ``state IN ('a', 'b')``.
    """

    ID = "SQ069"
    NAME = "and-or-without-parentheses"
    DEFECT_CLASS = "and-or-without-brackets"
    SIGN = LazyPattern(r"(?i)\band\b(?:[^;()]|\([^;()]*\)){0,400}?\bor\b")
    WORDS = (" or ", "\nor ", "\tor ")
    TRIED_ON = "30 trees: 2 hits, both right"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select a from t where b = 1 and (c = 2 or c = 3);\n"),
        valid("select a from t where (b = 1 and c = 2) or c = 3;\n"),
        valid("select a from t where b = 1 and c = 2 or d = 3;\n"),
        valid("select a from t where b = 1 and c = 2 or b = 2 and c = 3;\n"),
        valid("select a from t where c = 2 or c = 3;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select a from t where b = 1 and c = 2 or c = 3;\n", 1, 42),
        invalid("select a from t\nwhere t.b = $1\n  and t.c is null\n  or t.c = 7;\n", 4, 6),
        invalid("DELETE FROM t WHERE `b` = 1 AND c LIKE 'x%' OR c LIKE 'y%';\n", 1, 48, "mysql/q.sql"),
        Invalid(
            'cur.execute("SELECT a FROM t WHERE b = %s AND c = 1 OR c = 2", (b,))\n',
            line=1,
            column=56,
            path="app/q.py",
        ),
    ]

    def run(self) -> None:
        from wardround_sql.queries.conditions import loose_ors  # sqlglot is slow to import

        for found in loose_ors(self.script):
            self.report(
                found.span,
                f"without brackets this {found.subject} needs none of the other conditions, "
                f"{found.detail} among them{found.note}",
            )
