from __future__ import annotations

import ast

from wardround.languages.python.tree import unparse
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_PARTS = {
    "year": "on the 29th of February",
    "month": "in December, and on the 31st",
    "day": "on the last day of a month",
    "hour": "at the end of the day",
    "minute": "at the end of the hour",
}


class DateReplaceOverflow(PythonCheck):
    """A date is moved by ``replace`` with one of its own parts incremented.

    ``replace`` carries nothing over and raises ValueError if the date does not exist: a year after the 29th
    of February, a month after December. Add a ``timedelta``, or a ``relativedelta`` for months and years.
    """

    ID = "PY074"
    NAME = "date-replace-overflow"
    MATURITY = Maturity.PREVIEW
    WORDS = ("replace(year=", "replace(month=", "replace(day=", "replace(hour=", "replace(minute=")
    DEFECT_CLASS = "date-arithmetic"
    VALID = [
        code("""
            d = d.replace(year=2020)
        """),
        code("""
            d = d.replace(year=d.year + 1, day=1)
        """),
    ]
    INVALID = [
        code("""
            def f(d):
                return «d.replace(year=d.year + 1)»
        """),
        code("""
            def f(d):
                return «d.replace(month=d.month + 1, day=1)»
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "replace" or node.args:
            return
        arguments = {keyword.arg: keyword.value for keyword in node.keywords}
        for part, when in _PARTS.items():
            if not _is_shifted(arguments.get(part), part, node.func.value):
                continue
            if (part == "year" and "day" in arguments) or self._is_tried(node):
                return
            self.report(
                self.module.span(node),
                f"ValueError {when}, where no such date exists; add a timedelta or relativedelta",
            )

    def _is_tried(self, node: ast.AST) -> bool:
        tries = [inner for inner in self.module.ancestors(node) if isinstance(inner, ast.Try)]
        return any("ValueError" in unparse(h.type) for attempt in tries for h in attempt.handlers if h.type)


def _is_shifted(value: ast.expr | None, part: str, moved: ast.expr) -> bool:
    """Return True for a part of the moved date itself, incremented or decremented."""
    match value:
        case ast.BinOp(op=ast.Add() | ast.Sub(), left=ast.Attribute(value=date, attr=attribute)):
            return attribute == part and unparse(date) == unparse(moved)
        case _:
            return False
