"""PY053: timedelta seconds instead of total."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import SuggestedFix
from wardround.languages.python.tree import walk
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
        value = node.value
        scope = self.module.function_of(node) or self.module.tree
        if isinstance(value, ast.Name):
            assigned = self.module.assigned.get(value.id, [])
            value = assigned[0] if len(assigned) == 1 else value
        if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Sub):
            return
        if not (_is_time(value.left) or _is_time(value.right)):
            return
        parts = any(isinstance(n, ast.Attribute) and n.attr == "days" for n in walk(scope))
        if not parts:
            message = ".seconds ignores complete days; use total_seconds()"
            self.report(self.module.span(node), message, self._total(node))

    def _total(self, node: ast.Attribute) -> SuggestedFix | None:
        """Return the fix; safe in a comparison, where a float serves as the integer did."""
        return self.fix(
            node, lambda edit: edit.expression(node, "{value}.total_seconds()", value=node.value),
            "use total_seconds()", safe=isinstance(self.module.parents[node], ast.Compare),
        )  # fmt: skip


def _is_time(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        value = value.func
    name = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
    return _TIME.fullmatch(name) is not None
