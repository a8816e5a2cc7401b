"""PY053."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.tree import walk
from wardround_python.check import PythonCheck

_TIME = LazyPattern(
    r"(\w*_)?(now|start|started|end|ended|begin|finished|created|updated|expires|expiry|last_seen|timestamp"
    r"|deadline|since|until"
    r"|utcnow|today|at|on|time|arrival|departure|seen|issued|modified)|datetime"
)


class TimedeltaSecondsInsteadOfTotal(PythonCheck):
    """Of the time between two moments only the part below a day is read.

    ``.seconds`` of a difference starts at 0 again after each day and is large for negative ones: after 25
    hours it says one hour. Use ``.total_seconds()``.
    """

    ID = "PY053"
    NAME = "timedelta-seconds-instead-of-total"
    WORDS = (".seconds",)
    DEFECT_CLASS = "part-of-duration"
    TRIED_ON = (
        "twenty-three trees of 600,000 lines, tests left out: 6, all right: a limit of calls in a minute "
        "that starts anew each day among them"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def f(a, now):\n    return (now - a).total_seconds()\n",
        "def f(a, now):\n    d = now - a\n    return d.days * 86400 + d.seconds\n",
        "def f(policy):\n    return policy.seconds\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("def f(a):\n    return (datetime.now() - a.made).seconds\n", line=2, column=12),
        Invalid("def f(user, now):\n    return (now - user.last_seen).seconds > 3600\n", line=2, column=12),
        Invalid(
            "def f(job):\n    took = job.ended_at - job.started_at\n    return took.seconds\n",
            line=3,
            column=12,
        ),
    ]

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr != "seconds" or not isinstance(node.ctx, ast.Load):
            return
        value = node.value
        scope = self.module.function_of(node) or self.module.tree
        if isinstance(value, ast.Name):
            given = self.module.assigned.get(value.id, [])
            value = given[0] if len(given) == 1 else value
        if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Sub):
            return
        if not (_is_time(value.left) or _is_time(value.right)):
            return
        parts = any(isinstance(n, ast.Attribute) and n.attr == "days" for n in walk(scope))
        if not parts:
            self.report(
                self.module.span(node), "this leaves out whole days: total_seconds() is the time between"
            )


def _is_time(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        value = value.func
    name = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
    return _TIME.fullmatch(name) is not None
