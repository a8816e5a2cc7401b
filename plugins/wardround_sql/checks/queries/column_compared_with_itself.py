from __future__ import annotations

from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck


class ColumnComparedWithItself(SqlCheck):
    """Column compared with itself, which is true for every row with a value.

    If a function's parameter has the name of a column, the name refers to the column. Rename the parameter
    (``p_tenant_id``), or write ``function.parameter``; in a join, name the other table.
    """

    ID = "SQ070"
    NAME = "column-compared-with-itself"
    MATURITY = Maturity.PREVIEW
    SIGN = LazyPattern(r"(?<![\w.])([\w.\"`]++)\s*(?:=|<>|!=|[<>]=?)\s*\1(?![\w.])")
    WORDS = ("=", "<", ">")

    VALID = [
        code("""
            select a from t join u on t.id = u.id;
        """),
        code("""
            update t set a = a where b = c;
        """),
    ]
    INVALID = [
        code("""
            select a from t join u on «t.id» = t.id;
        """),
        code("""
            create function f(b int) returns void language sql as $$
              delete from t where «b» = b;
            $$;
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production:
            return
        from wardround_sql.queries.conditions import compared_with_themselves  # sqlglot is slow to import

        for fact in compared_with_themselves(self.script):
            self.report(
                fact.span,
                f"{fact.subject} is compared with itself; qualify or rename one operand{fact.note}",
            )
