"""PY056: mutated get default."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_MUTATING_METHODS = frozenset({"append", "add", "extend", "update", "insert", "setdefault"})


class MutatedGetDefault(PythonCheck):
    """A value added to the default of ``get`` is lost if the key is missing.

    ``groups.get(key, []).append(x)`` appends to a list that nothing references. Use ``setdefault`` or a
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
            isinstance(func, ast.Attribute)
            and func.attr in _MUTATING_METHODS
            and isinstance(func.value, ast.Call)
            and _has_new_default(func.value)
        ):
            self.report(
                self.module.span(node),
                f"if the key is missing, {func.attr}() modifies a discarded default; use setdefault",
            )


def _has_new_default(call: ast.Call) -> bool:
    """Return True for a ``get`` or ``pop`` whose default is a new collection."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in ("get", "pop") or len(call.args) != 2:
        return False
    default = call.args[1]
    if isinstance(default, ast.Call):
        return getattr(default.func, "id", "") in ("list", "dict", "set")
    return isinstance(default, (ast.List, ast.Dict, ast.Set))
