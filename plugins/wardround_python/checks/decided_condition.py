"""PY042."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.late import LatePattern
from wardround_python.check import PythonCheck

_PAIRS = tuple(
    LatePattern(pattern)
    for pattern in (
        r"!=[^\n]*\bor\b",
        r"or\b\s*\n?[^\n]*!=",
        r"not in\b[^\n]*\bor\b",
        r"==[^\n]*\band\b",
        r"type=bool",
        r"\.(?:lower|upper|strip)\s*(?:[=!<>]=|[<>])",
        r"(?:if|while|not|and|or)\s+(?:\w+\.)*\w+\s*(?::\s|\)|\n|and\b|or\b|else\b)",
    )
)
_TEXT_METHODS = frozenset(
    [
        "isdigit",
        "isalpha",
        "isalnum",
        "isdecimal",
        "isnumeric",
        "isupper",
        "islower",
        "isspace",
        "lower",
        "upper",
        "strip",
        "splitlines",
        "is_file",
        "is_dir",
    ]
)


class DecidedCondition(PythonCheck):
    """A condition is true, or false, whatever the values are.

    ``x != 1 or x != 2`` holds for everything, a method that is named and not called is always true, and
    ``type=bool`` makes every text but the empty one True, "false" too. Write what was meant: ``and``, the
    call, ``action="store_true"``.
    """

    ID = "PY042"
    NAME = "decided-condition"
    DEFECT_CLASS = "useless-comparison"
    TRIED_ON = (
        "twenty-three trees of 600,000 lines, tests left out: 10, all type=bool in options: right; a "
        "method of a base class was left alone after that"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def f(x):\n    return x != 1 and x != 2\n",
        "def f(x, y):\n    return x != 1 or y != 2\n",
        "class A:\n    @property\n    def ready(self): ...\n    def f(self):\n        if self.ready:\n     "
        "       g()\n",
        "class A:\n    def ready(self): ...\n    def f(self):\n        if self.ready():\n            g()\n",
        "class A:\n    on_end = None\n    def on_end(self): ...\n    def f(self):\n        if "
        "self.on_end:\n            g()\n",
        "def ready(): ...\ndef f(ready):\n    if ready:\n        g()\n",
        "parser.add_argument('--x', type=int)\n",
        "try:\n    import b\n    def g(): ...\nexcept ImportError:\n    g = None\ndef f():\n    if g:\n   "
        "     g()\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("def f(x):\n    if x.state != 'a' or x.state != 'b':\n        return 1\n", line=2, column=8),
        Invalid("def f(x):\n    return x == 'a' and x == 'b'\n", line=2, column=12),
        Invalid(
            "class A:\n    def ready(self): ...\n    def f(self):\n        if self.ready:\n            g()\n",
            line=4,
            column=12,
        ),
        Invalid("def ready(): ...\ndef f():\n    while not ready:\n        g()\n", line=3, column=15),
        Invalid("def f(text):\n    return text.lower == 'yes'\n", line=2, column=12),
        Invalid(
            "import argparse\nparser.add_argument('--dry', type=bool, default=True)\n", line=2, column=30
        ),
        Invalid("def f(text):\n    if text.isdigit:\n        return int(text)\n", line=2, column=8),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        return any(pattern.search(source.text) for pattern in _PAIRS)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        wanted = ast.NotEq if isinstance(node.op, ast.Or) else ast.Eq
        told: dict[str, set[str]] = {}
        for one in node.values:
            if isinstance(one, ast.Compare) and len(one.ops) == 1 and isinstance(one.ops[0], wanted):
                value = one.comparators[0]
                if isinstance(value, ast.Constant) and value.value is not None:
                    told.setdefault(ast.unparse(one.left), set()).add(repr(value.value))
        for name, values in told.items():
            if len(values) > 1 and "(" not in name:
                always = "true" if isinstance(node.op, ast.Or) else "false"
                self.report(self.module.span(node), f"this is always {always}, whatever {name} is")
                return
        for one in node.values[:-1]:
            self._look_at(one)

    def visit_If(self, node: ast.If) -> None:
        self._look_at(node.test)

    def visit_While(self, node: ast.While) -> None:
        self._look_at(node.test)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._look_at(node.test)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._look_at(node.operand)

    def visit_Compare(self, node: ast.Compare) -> None:
        if isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.Lt, ast.Gt, ast.LtE, ast.GtE)):
            for side in (node.left, node.comparators[0]):
                if isinstance(side, ast.Attribute) and side.attr in ("lower", "upper", "strip"):
                    self._report(side)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            for keyword in node.keywords:
                if (
                    keyword.arg == "type"
                    and isinstance(keyword.value, ast.Name)
                    and keyword.value.id == "bool"
                ):
                    self.report(
                        self.module.span(keyword),
                        'bool("false") is True: every text but the empty one switches it on',
                    )

    def _look_at(self, test: ast.expr) -> None:
        if isinstance(test, ast.Attribute):
            is_method = isinstance(test.value, ast.Name) and test.value.id == "self" and self._is_method(test)
            if is_method or (test.attr in _TEXT_METHODS and self._never_set(test.attr)):
                self._report(test)
        elif isinstance(test, ast.Name) and test.id in self._functions:
            self._report(test)

    def _report(self, node: ast.expr) -> None:
        self.report(
            self.module.span(node), f"{ast.unparse(node)} is not called here: a function is always true"
        )

    def _never_set(self, name: str) -> bool:
        """Whether the module nowhere gives an attribute of that name a value."""
        return name not in self._set

    @cached_property
    def _set(self) -> set[str]:
        found = {
            n.attr
            for n in self.module.nodes
            if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)
        }
        found |= {n.arg for n in self.module.nodes if isinstance(n, ast.arg)}
        for node in self.module.nodes:
            if isinstance(node, ast.ClassDef):
                for one in node.body:
                    if isinstance(one, (ast.Assign, ast.AnnAssign)):
                        targets = one.targets if isinstance(one, ast.Assign) else [one.target]
                        found |= {t.id for t in targets if isinstance(t, ast.Name)}
        return found

    def _is_method(self, test: ast.Attribute) -> bool:
        holder = next((p for p in self.module.ancestors(test) if isinstance(p, ast.ClassDef)), None)
        if holder is None or test.attr in self._set:
            return False
        named = [n for n in holder.body if getattr(n, "name", None) == test.attr]
        return (
            len(named) == 1
            and isinstance(named[0], (ast.FunctionDef, ast.AsyncFunctionDef))
            and not named[0].decorator_list
        )

    @cached_property
    def _functions(self) -> set[str]:
        """The functions of the module whose names mean nothing else in it."""
        names = [
            n.name for n in self.module.tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
        ]
        other = {
            n.id for n in self.module.nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        other |= {n.arg for n in self.module.nodes if isinstance(n, ast.arg)} | set(self.module.imported)
        return {name for name in names if names.count(name) == 1} - other
