"""TE015: coroutines that a test does not await."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck


class UnawaitedCoroutineInTest(PythonTestCheck):
    """A test calls a coroutine function without awaiting it, so its body does not run.

    Failures in it never happen, and the coroutine object itself is always true. Add await in an async test.
    """

    ID = "TE015"
    NAME = "unawaited-coroutine-in-test"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "assertion-not-awaited"
    SEVERITY = Severity.ERROR
    VALID = [
        code("""
            async def is_up(): ...
            async def test_up():
                assert await is_up()
        """),
        code("""
            import asyncio
            async def is_up(): ...
            def test_up():
                assert asyncio.run(is_up())
        """),
    ]
    INVALID = [
        code("""
            async def is_up(): ...
            def test_up():
                assert «is_up()»
        """),
        code("""
            async def check_up():
                assert up()
            async def test_up():
                «check_up()»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "async def" in source.text

    def visit_Call(self, node: ast.Call) -> None:
        parent = self.module.parents[node]
        if not isinstance(parent, (ast.Expr, ast.Assert)) or (
            isinstance(parent, ast.Assert) and parent.msg is node
        ):
            return
        case = self.module.test_of(node)
        if case is None:
            return
        called = self._called(node.func, case.cls)
        if called is not None:
            self.report(
                self.module.span(node), f'"{called}" is a coroutine function and is not awaited; add await'
            )

    def _called(self, function: ast.expr, cls: ast.ClassDef | None) -> str | None:
        """Return the coroutine function of this module that a call calls; None if unknown."""
        home: ast.AST
        if isinstance(function, ast.Name):
            name, home = function.id, self.module.tree
        elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            if function.value.id != "self" or cls is None:
                return None
            name, home = function.attr, cls
        else:
            return None
        found = self.module.names.functions(name)
        if len(found) != 1 or self.module.parents[found[0]] is not home or not _is_plain_coroutine(found[0]):
            return None
        return name


def _is_plain_coroutine(node: ast.AST) -> bool:
    if not isinstance(node, ast.AsyncFunctionDef) or node.decorator_list:
        return False
    return not any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(node))
