"""PY059: return in first iteration."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.module import nodes_run_by
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_ACCUMULATING_METHODS = frozenset({"append", "add", "extend", "update", "insert"})


class ReturnInFirstIteration(PythonCheck):
    """A loop that accumulates a result returns at the end of its first iteration.

    The ``return`` is indented one level too far, so only the first entry counts. Move it after the loop.
    """

    ID = "PY059"
    NAME = "return-in-first-iteration"
    MATURITY = Maturity.PREVIEW
    PREFILTER = "wardround_python.prefilters:returns_in_a_loop"
    WORDS = ("for ",)
    DEFECT_CLASS = "loop-runs-once"
    VALID = [
        code("""
            def f(xs):
                total = 0
                for x in xs:
                    total += x
                return total
        """),
        code("""
            def f(xs):
                for x in xs:
                    return x
        """),
    ]
    INVALID = [
        code("""
            def f(xs):
                total = 0
                for x in xs:
                    total += x
                    «return total»
        """),
        code("""
            def f(rows):
                found = {}
                for r in rows:
                    if r.ok:
                        found[r.key] = r
                    «return found»
        """),
    ]

    def visit_For(self, node: ast.For) -> None:
        last = node.body[-1]
        if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Name):
            return
        inside = list(nodes_run_by(node.body))
        if any(isinstance(n, ast.Continue) for n in inside):
            return
        if any(_accumulates(n, last.value.id) for n in inside):
            self.report(
                self.module.span(last),
                f'loop returns "{last.value.id}" in its first iteration; move the return after the loop',
            )


def _accumulates(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name) and node.target.id == name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return unparse(node.targets[0].value) == name
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _ACCUMULATING_METHODS
    ):
        return unparse(node.func.value) == name
    return False
