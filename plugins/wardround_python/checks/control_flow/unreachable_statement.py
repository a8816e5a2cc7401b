from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
# Statements that are deliberately unreachable: for a reader, a type checker, or to make a generator.
_HARMLESS = (ast.Return, ast.Raise, ast.Pass, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class UnreachableStatement(PythonCheck):
    """A statement follows one that always leaves the block.

    Statements after ``return``, ``raise``, ``break`` or ``continue`` in a block never run: a log line is
    missing, a lock is never released. Move the statement before it, or remove it.
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
        self._check_block(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._check_block(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self._check_block(node)

    def visit_Break(self, node: ast.Break) -> None:
        self._check_block(node)

    def _check_block(self, node: ast.stmt) -> None:
        parent = self.module.parents[node]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and node in block:
                following = block[block.index(node) + 1 :]
                if following and not any(isinstance(item, _LEAVES) for item in block[: block.index(node)]):
                    self._check_following(node, following)

    def _check_following(self, node: ast.stmt, following: Sequence[ast.stmt]) -> None:
        first = next((item for item in following if not _is_harmless(item)), None)
        if first is not None:
            keyword = type(node).__name__.lower()
            self.report(
                self.module.span(first),
                f"unreachable: line {node.lineno} always {keyword}s before it; move or remove it",
            )


def _is_harmless(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, (ast.Constant, ast.Yield, ast.YieldFrom))
    if isinstance(statement, ast.Assert):
        return isinstance(statement.test, (ast.Constant, ast.Call))
    return isinstance(statement, _HARMLESS)
