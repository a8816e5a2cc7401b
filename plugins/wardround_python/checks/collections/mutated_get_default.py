"""PY056."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_python.check import PythonCheck

_CHANGES = frozenset({"append", "add", "extend", "update", "insert", "setdefault"})


class MutatedGetDefault(PythonCheck):
    """What is put into a default is lost where the key was not there.

    ``groups.get(key, []).append(x)`` appends to a list that nothing holds. Use ``setdefault`` or a
    ``defaultdict``.
    """

    ID = "PY056"
    NAME = "mutated-get-default"
    WORDS = (", []).", ", {}).", ", set()).", ", list()).", ", dict()).")
    DEFECT_CLASS = "lost-entry"
    TRIED_ON = "twenty-three trees of 600,000 lines, tests left out: none, so only its cases speak for it"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "groups.setdefault(k, []).append(1)\n",
        "n = len(groups.get(k, []))\n",
        "for x in groups.get(k, []).copy():\n    g(x)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("class A:\n    def f(self, k):\n        self.by.get(k, {}).update(a=1)\n", line=3, column=9),
        Invalid("groups.get(k, []).append(1)\n", line=1, column=1),
        Invalid("def f(k):\n    seen.get(k, set()).add(1)\n", line=2, column=5),
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
