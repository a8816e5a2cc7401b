"""SQ060: BETWEEN dates on a timestamp."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import (
    Node,
    column_name,
    content,
    items,
    texts,
    type_name,
    unwrapped,
    walk,
)
from wardround_sql.parsing.statements import Statement

_MOMENT = LazyPattern(r"(?:_at|_ts|timestamp|_time|At)$")
_DAY = LazyPattern(r"\d{4}-\d\d-\d\d")
_NAMED = LazyPattern(r"(?i)(?:%\((?P<percent>\w+)\)s|(?<![:\w]):(?P<colon>\w+)|@(?P<at>\w+))")
_DATED = LazyPattern(r"(?i)(?:^|_)(?:date|day|last|to|until|end)(?:_|$)|(?:Date|Day)$")


class BetweenDaysOverTimestamps(SqlCheck):
    """BETWEEN two dates on a timestamp, which excludes all but midnight of the last day.

    A date compared with a timestamp means its first moment. Write ``at >= first AND at < last + interval '1
    day'``.
    """

    ID = "SQ060"
    NAME = "between-days-over-timestamps"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.INFO
    WORDS = ("between",)

    VALID = [
        code("""
            select a from notes where made_on between '2024-01-01' and '2024-01-31';
        """),
        code("""
            select a from notes where made_at between '2024-01-01' and '2024-01-31 23:59:59';
        """),
    ]
    INVALID = [
        code("""
            select a from notes where «made_at» between '2024-01-01' and '2024-01-31';
        """),
        code("""
            select a from notes where «made_at» between date_trunc('month', $1)
            and date_trunc('month', $1) + interval '1 month' - interval '1 day';
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production:
            return
        for statement in self.script.queries:
            if statement.kind in ("CreateFunctionStmt", "DoStmt"):
                continue
            for expression in statement.kinds("A_Expr"):
                name = column_name(expression.get("lexpr"))
                if expression.get("kind") == "AEXPR_BETWEEN" and name and _MOMENT.search(name[-1]):
                    self._check_bounds(statement, expression, name[-1])

    def _check_bounds(self, statement: Statement, node: Node, name: str) -> None:
        bounds = items(node.get("rexpr"))
        if len(bounds) == 2 and (_is_day(bounds[1]) or self._is_named_day(statement, bounds[1])):
            child = next((n["location"] for n in walk(node.get("lexpr")) if "location" in n), None)
            self.report_at(
                statement,
                f"{name} is a timestamp, so BETWEEN includes only midnight of the last day; use >= and <",
                child,
            )

    def _is_named_day(self, statement: Statement, bound: object) -> bool:
        """Return True if a placeholder is named after a date."""
        kind, inside = unwrapped(bound)
        if kind != "ParamRef" or not isinstance(inside.get("location"), int):
            return False
        position = statement.offset + statement.point(inside["location"])
        result = _NAMED.match(statement.fragment.text, position)
        name = next((group for group in result.groups() if group), "") if result else ""
        return bool(_DATED.search(name))


def _is_one_day(node: object) -> bool:
    """Return True if an expression is an interval of one day, as subtracted from the start of a month."""
    cast = content(node, "TypeCast") or {}
    text = str((content(cast.get("arg"), "A_Const") or {}).get("sval", {}).get("sval", ""))
    return type_name(cast.get("typeName", {})) == "interval" and text.strip().lower() in (
        "1 day",
        "1 days",
        "p1d",
    )


def _is_day(bound: object) -> bool:
    """Return True if a bound is a date, as a literal or by a cast."""
    taken = content(bound, "A_Expr")
    if taken is not None:
        return texts(taken.get("name")) == ["-"] and _is_one_day(taken.get("rexpr"))
    cast = content(bound, "TypeCast")
    if cast is not None:
        return type_name(cast.get("typeName", {})) == "date"
    constant = (content(bound, "A_Const") or {}).get("sval", {}).get("sval", "")
    return _DAY.fullmatch(constant) is not None
