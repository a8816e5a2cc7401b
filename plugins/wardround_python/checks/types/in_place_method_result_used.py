"""PY032: in place method result used."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_IN_PLACE = frozenset(
    {"sort", "reverse", "append", "extend", "insert", "clear", "update", "remove", "add", "discard"}
)
_USED = LazyPattern(
    r"(?:=|return|in|\()\s*\w+\.(?:sort|reverse|append|extend|insert|clear|update|remove|add|discard)\("
)
_MAKERS = frozenset({"list", "dict", "set", "sorted"})


class InPlaceMethodResultUsed(PythonCheck):
    """The result of an in-place method is used.

    ``sort``, ``append`` and similar methods return None and change their receiver. Call the method in a
    statement of its own, or use ``sorted`` or ``reversed``.
    """

    ID = "PY032"
    NAME = "in-place-method-result-used"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "result-is-none"
    WORDS = (
        ".sort(",
        ".reverse(",
        ".append(",
        ".extend(",
        ".insert(",
        ".clear(",
        ".update(",
        ".remove(",
        ".add(",
        ".discard(",
    )
    VALID = [
        code("""
            def f():
                rows = []
                rows.append(1)
                return rows
        """),
        code("""
            def f(frame):
                return frame.sort()
        """),
    ]
    INVALID = [
        code("""
            def f(names):
                rows = list(names)
                return «rows.sort()»
        """),
        code("""
            def f():
                rows = [3, 1]
                best = «rows.sort()»
                return best
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return _USED.search(source.text) is not None

    def visit_Call(self, node: ast.Call) -> None:
        func = node.func
        if (
            not isinstance(func, ast.Attribute)
            or func.attr not in _IN_PLACE
            or not isinstance(func.value, ast.Name)
        ):
            return
        parent = self.module.parents[node]
        keeps = isinstance(parent, (ast.Assign, ast.AnnAssign, ast.Return, ast.Subscript, ast.Attribute))
        if not keeps and not (isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is node):
            return
        values = [v for v in self.module.assigned.get(func.value.id, []) if v is not node]
        if values and all(map(self._is_collection, values)):
            self.report(self.module.span(node), f"{unparse(func)}() returns None")

    def _is_collection(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Call):
            return isinstance(value.func, ast.Name) and value.func.id in _MAKERS
        kinds = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
        return isinstance(value, kinds)
