"""PY029."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.python_tree import walk
from wardround_python.check import PythonCheck
from wardround_python.module import FunctionNode

_MAKERS = frozenset({"map", "filter", "zip", "reversed", "enumerate", "csv.reader", "csv.DictReader"})
_USERS = frozenset(
    {"list", "tuple", "set", "sum", "max", "min", "sorted", "frozenset", "dict", "len", "join"}
)


class IteratorUsedTwice(PythonCheck):
    """An iterator is gone through a second time.

    A generator, ``map``, ``filter`` or ``zip`` gives each value once. The second use finds nothing and raises
    nothing: a sum is 0, a loop does not run. Make a list of it first.
    """

    ID = "PY029"
    NAME = "iterator-used-twice"
    WORDS = ("= (", *(f"{maker.rpartition('.')[2]}(" for maker in sorted(_MAKERS)))
    DEFECT_CLASS = "iterator-exhausted"
    TRIED_ON = "twenty-three trees of 1.2 million lines, tests left out: none, so only its cases speak for it"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def f(rows):\n    found = [row for row in rows]\n    g(sum(found))\n    return list(found)\n",
        "def f(rows):\n    found = (row for row in rows)\n    return list(found)\n",
        "def f(rows):\n    found = map(int, rows)\n    if g():\n"
        "        return list(found)\n    return sum(found)\n",
        "def f(rows):\n    found = map(int, rows)\n    if g():\n        h(list(found))\n    else:\n"
        "        h(sum(found))\n",
        "def f(rows):\n    found = map(int, rows)\n    g(sum(found))\n"
        "    found = map(int, rows)\n    h(max(found))\n",
        "def f(rows):\n    found = map(int, rows)\n    next(found)\n    return list(found)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "def f(rows):\n    found = (r for r in rows)\n    total = sum(found)\n"
            "    return [x / total for x in found]\n",
            line=4,
            column=32,
        ),
        Invalid(
            "def f(rows):\n    found = map(int, rows)\n    for one in found:\n"
            "        g(one)\n    return len(list(found))\n",
            line=5,
            column=21,
        ),
        Invalid(
            "def f(rows, wanted):\n    found = (r.id for r in rows)\n    for one in wanted:\n"
            "        if one in found:\n            g(one)\n",
            line=4,
            column=19,
        ),
    ]

    def visit_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        function = self.module.function_of(node)
        if (
            not isinstance(target, ast.Name)
            or not isinstance(function, FunctionNode)
            or not self._is_once(node)
        ):
            return
        named = [n for n in walk(function) if isinstance(n, ast.Name) and n.id == target.id]
        loads = sorted(
            (n for n in named if isinstance(n.ctx, ast.Load)), key=lambda n: (n.lineno, n.col_offset)
        )
        if len(loads) != len(named) - 1 or not all(map(self._uses_up, loads)):
            return
        for number, use in enumerate(loads):
            before = loads[number - 1] if number else None
            if self._runs_again(use, node) or (before is not None and self._follows(use, before)):
                self.report(
                    self.module.span(use), f'"{target.id}" is an iterator and has been used up before'
                )
                return

    def _is_once(self, node: ast.Assign) -> bool:
        """Whether a value can be gone through once only."""
        if isinstance(node.value, ast.GeneratorExp):
            return True
        return isinstance(node.value, ast.Call) and self.module.dotted(node.value.func) in _MAKERS

    def _uses_up(self, use: ast.Name) -> bool:
        parent = self.module.parents[use]
        if isinstance(parent, (ast.For, ast.comprehension)):
            return parent.iter is use
        if isinstance(parent, ast.Compare):
            return isinstance(parent.ops[0], (ast.In, ast.NotIn)) and use in parent.comparators
        if not isinstance(parent, ast.Call) or use not in parent.args:
            return False
        name = parent.func.attr if isinstance(parent.func, ast.Attribute) else self.module.dotted(parent.func)
        return name in _USERS

    def _runs_again(self, use: ast.Name, made: ast.Assign) -> bool:
        """Whether a use is in the body of a loop that the iterator is made before."""
        holder = self.module.parents[made]
        child: ast.AST = use
        for parent in self.module.ancestors(use):
            if parent is holder:
                return False
            if isinstance(parent, (ast.For, ast.While)) and child in parent.body:
                ends = any(isinstance(n, (ast.Break, ast.Return)) for n in walk(parent))
                return not ends
            child = parent
        return False

    def _follows(self, use: ast.Name, before: ast.Name) -> bool:
        """Whether a use always comes after another: further down in the block that one stands in."""
        first = next(p for p in self.module.ancestors(before) if isinstance(p, ast.stmt))
        holder = self.module.parents[first]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(holder, name, None)
            if isinstance(block, list) and first in block:
                later = block[block.index(first) + 1 :]
                if isinstance(first, (ast.Return, ast.Raise)):
                    return False
                return any(use is n for one in later for n in walk(one))
        return False
