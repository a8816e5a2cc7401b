"""PY036."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround_python.check import PythonCheck

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
# What may stand behind a way out for a reader, a type checker, or to make a generator.
_HARMLESS = (ast.Return, ast.Raise, ast.Pass, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class UnreachableStatement(PythonCheck):
    """A statement stands behind one that always leaves.

    What follows ``return``, ``raise``, ``break`` or ``continue`` in its block never runs: a log line that
    never comes, a lock that is never given back. Put it before, or take it out.
    """

    ID = "PY036"
    NAME = "unreachable-statement"
    PREFILTER = "wardround_python.prefilters:has_code_behind_a_way_out"
    WORDS = ("return", "raise", "continue", "break")
    DEFECT_CLASS = "unreachable"
    VALID = [
        code("""
            def f(x):
                if x:
                    return 1
                return 2
        """),
        code("""
            def f():
                return
                yield
        """),
    ]
    INVALID = [
        code("""
            def f(x):
                if x:
                    raise ValueError(x)
                    «log.warning(x)»
                g()
        """),
        code("""
            def f(x):
                return x
                «x.close()»
        """),
    ]

    def visit_Return(self, node: ast.Return) -> None:
        self._look_behind(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._look_behind(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self._look_behind(node)

    def visit_Break(self, node: ast.Break) -> None:
        self._look_behind(node)

    def _look_behind(self, node: ast.stmt) -> None:
        parent = self.module.parents[node]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and node in block:
                behind = block[block.index(node) + 1 :]
                if behind and not any(isinstance(one, _LEAVES) for one in block[: block.index(node)]):
                    self._look_at(node, behind)

    def _look_at(self, node: ast.stmt, behind: Sequence[ast.stmt]) -> None:
        first = next((one for one in behind if not _is_harmless(one)), None)
        if first is not None:
            left = type(node).__name__.lower()
            self.report(
                self.module.span(first), f"this never runs: line {node.lineno} always {left}s before it"
            )


def _is_harmless(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, (ast.Constant, ast.Yield, ast.YieldFrom))
    if isinstance(statement, ast.Assert):
        return isinstance(statement.test, (ast.Constant, ast.Call))
    return isinstance(statement, _HARMLESS)
