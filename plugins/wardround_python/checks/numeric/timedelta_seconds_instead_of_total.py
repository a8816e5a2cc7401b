from __future__ import annotations

import ast

from wardround.findings import SuggestedFix
from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_TIME = LazyPattern(
    r"(\w*_)?(now|start|started|end|ended|begin|finished|created|updated|expires|expiry|last_seen|timestamp"
    r"|deadline|since|until"
    r"|utcnow|today|at|on|time|arrival|departure|seen|issued|modified)|datetime"
)


class TimedeltaSecondsInsteadOfTotal(PythonCheck):
    """Only the part below a day is read from a time difference.

    ``.seconds`` of a difference restarts at 0 after each day and is large for negative differences: after 25
    hours it is one hour. Use ``.total_seconds()``.
    """

    ID = "PY053"
    NAME = "timedelta-seconds-instead-of-total"
    WORDS = (".seconds",)
    DEFECT_CLASS = "part-of-duration"
    VALID = [
        code("""
            def f(a, now):
                return (now - a).total_seconds()
        """),
        code("""
            def f(a, now):
                d = now - a
                return d.days * 86400 + d.seconds
        """),
    ]
    INVALID = [
        code("""
            def f(a):
                return «(datetime.now() - a.made).seconds»
        """),
        code(
            """
            def f(user, now):
                return «(now - user.last_seen).seconds» > 3600
            """,
            fixed="""
            def f(user, now):
                return (now - user.last_seen).total_seconds() > 3600
            """,
        ),
    ]

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr != "seconds" or not isinstance(node.ctx, ast.Load):
            return
        if not _is_difference_of_times(self._only_value(node.value)):
            return
        scope = self.module.function_of(node) or self.module.tree
        if not any(isinstance(inner, ast.Attribute) and inner.attr == "days" for inner in walk(scope)):
            message = ".seconds ignores complete days; use total_seconds()"
            self.report(self.module.span(node), message, self._total(node))

    def _only_value(self, value: ast.expr) -> ast.expr:
        """Return the value that is assigned to a name; the expression itself for all others."""
        assigned = self.module.assigned.get(value.id, []) if isinstance(value, ast.Name) else []
        return assigned[0] if len(assigned) == 1 else value

    def _total(self, node: ast.Attribute) -> SuggestedFix | None:
        """Return the fix; safe in a comparison, where a float serves as the integer did."""
        return self.fix(
            node, lambda edit: edit.expression(node, "{value}.total_seconds()", value=node.value),
            "use total_seconds()", safe=isinstance(self.module.parents[node], ast.Compare),
        )  # fmt: skip


def _is_difference_of_times(value: ast.expr) -> bool:
    match value:
        case ast.BinOp(op=ast.Sub(), left=left, right=right):
            return _is_time(left) or _is_time(right)
        case _:
            return False


def _is_time(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        value = value.func
    name = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
    return _TIME.fullmatch(name) is not None
