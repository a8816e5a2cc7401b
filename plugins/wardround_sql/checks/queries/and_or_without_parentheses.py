from __future__ import annotations

from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck


class AndOrWithoutParentheses(SqlCheck):
    """OR after AND without parentheses, which bypasses the other conditions.

    AND binds more tightly than OR: ``tenant = 1 AND state = 'a' OR state = 'b'`` returns the rows in state b
    of all tenants. Put parentheses around the OR, or write ``state IN ('a', 'b')``.
    """

    ID = "SQ069"
    NAME = "and-or-without-parentheses"
    DEFECT_CLASS = "and-or-without-brackets"
    SIGN = LazyPattern(r"(?i)\band\b(?:[^;()]|\([^;()]*\)){0,400}?\bor\b")
    WORDS = (" or ", "\nor ", "\tor ")

    VALID = [
        code("""
            select a from t where b = 1 and (c = 2 or c = 3);
        """),
        code("""
            select a from t where (b = 1 and c = 2) or c = 3;
        """),
    ]
    INVALID = [
        code("""
            select a from t where b = 1 and c = 2 or «c» = 3;
        """),
        code("""
            select a from t
            where t.b = $1
              and t.c is null
              or «t.c» = 7;
        """),
    ]

    def run(self) -> None:
        from wardround_sql.queries.conditions import loose_ors  # sqlglot is slow to import

        for fact in loose_ors(self.script):
            self.report(
                fact.span,
                f"OR on {fact.subject} without parentheses bypasses the other conditions, such as "
                f"{fact.detail}; add parentheses{fact.note}",
            )
