"""PY032."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround_python.check import PythonCheck

_IN_PLACE = frozenset(
    {"sort", "reverse", "append", "extend", "insert", "clear", "update", "remove", "add", "discard"}
)
_USED = LazyPattern(
    r"(?:=|return|in|\()\s*\w+\.(?:sort|reverse|append|extend|insert|clear|update|remove|add|discard)\("
)
_MAKERS = frozenset({"list", "dict", "set", "sorted"})


class InPlaceMethodResultUsed(PythonCheck):
    """The result of a method that changes a collection in place is used.

    ``sort``, ``append`` and their like return None, and the collection is in the name it always was in. Call
    the method on a line of its own, or use ``sorted`` and ``reversed``.
    """

    ID = "PY032"
    NAME = "in-place-method-result-used"
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
    TRIED_ON = "twenty-three trees of 1.2 million lines, tests left out: none, so only its cases speak for it"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def f():\n    rows = []\n    rows.append(1)\n    return rows\n",
        "def f(frame):\n    return frame.sort()\n",
        "def f():\n    rows = [1]\n    return rows.pop()\n",
        "def f():\n    rows = table()\n    rows = rows.sort()\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("def f(names):\n    rows = list(names)\n    return rows.sort()\n", line=3, column=12),
        Invalid("def f():\n    rows = [3, 1]\n    best = rows.sort()\n    return best\n", line=3, column=12),
        Invalid(
            "def f(names):\n    seen = {n for n in names}\n    for n in seen.update(names):\n        g(n)\n",
            line=3,
            column=14,
        ),
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
            self.report(self.module.span(node), f"{ast.unparse(func)}() returns None")

    def _is_collection(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Call):
            return isinstance(value.func, ast.Name) and value.func.id in _MAKERS
        kinds = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
        return isinstance(value, kinds)
