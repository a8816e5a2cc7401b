"""PY028: list of same object."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_TIMES = ("] *", "]*", "* [", "*[")
_CONSTRUCTORS = frozenset(
    {"list", "dict", "set", "collections.defaultdict", "collections.deque", "bytearray"}
)


class ListOfSameObject(PythonCheck):
    """A list of lists, dicts or sets is created by multiplication.

    ``[[0] * 3] * 2`` holds the same inner list twice: a change to one row changes all. Create each row
    separately: ``[[0] * 3 for _ in range(2)]``.
    """

    ID = "PY028"
    NAME = "list-of-same-object"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "multiplied-list"
    WORDS = _TIMES
    VALID = [
        code("""
            rows = [[0] * 3 for _ in range(2)]
        """),
        code("""
            row = [0] * 3
        """),
    ]
    INVALID = [
        code("""
            rows = «[[0] * 3] * 2»
        """),
        code("""
            def f(n):
                return «[{}] * n»
        """),
    ]

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not isinstance(node.op, ast.Mult):
            return
        for repeated, times in ((node.left, node.right), (node.right, node.left)):
            is_at_most_one = isinstance(times, ast.Constant) and times.value in (0, 1)
            if (
                isinstance(repeated, ast.List)
                and any(map(self._is_mutable, repeated.elts))
                and not is_at_most_one
            ):
                self.report(
                    self.module.span(node),
                    "every entry of this list is the same object; use a list comprehension",
                )

    def _is_mutable(self, value: ast.expr) -> bool:
        if isinstance(value, ast.BinOp):
            return isinstance(value.op, ast.Mult) and isinstance(value.left, ast.List)
        if isinstance(value, ast.Call):
            return self.module.dotted(value.func) in _CONSTRUCTORS
        return isinstance(value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp))
