"""PY056."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_CHANGES = frozenset({"append", "add", "extend", "update", "insert", "setdefault"})


class MutatedGetDefault(PythonCheck):
    """What is put into a default is lost where the key was not there.

    ``groups.get(key, []).append(x)`` appends to a list that nothing holds. Use ``setdefault`` or a
    ``defaultdict``.
    """

    ID = "PY056"
    NAME = "mutated-get-default"
    MATURITY = Maturity.PREVIEW
    WORDS = (", []).", ", {}).", ", set()).", ", list()).", ", dict()).")
    DEFECT_CLASS = "lost-entry"
    VALID = [
        code("""
            groups.setdefault(k, []).append(1)
        """),
        code("""
            n = len(groups.get(k, []))
        """),
    ]
    INVALID = [
        code("""
            class A:
                def f(self, k):
                    «self.by.get(k, {}).update(a=1)»
        """),
        code("""
            «groups.get(k, []).append(1)»
        """),
    ]

    def visit_Expr(self, node: ast.Expr) -> None:
        call = node.value
        func = call.func if isinstance(call, ast.Call) else None
        if (
            not isinstance(func, ast.Attribute)
            or func.attr not in _CHANGES
            or not isinstance(func.value, ast.Call)
        ):
            return
        inner = func.value
        if (
            isinstance(inner.func, ast.Attribute)
            and inner.func.attr in ("get", "pop")
            and len(inner.args) == 2
        ):
            default = inner.args[1]
            is_new = isinstance(default, (ast.List, ast.Dict, ast.Set)) or (
                isinstance(default, ast.Call) and getattr(default.func, "id", "") in ("list", "dict", "set")
            )
            if is_new:
                self.report(
                    self.module.span(node),
                    f"where the key is missing, this {func.attr}s to what nothing holds",
                )
