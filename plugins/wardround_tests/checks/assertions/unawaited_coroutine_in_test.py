"""TE015."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import walk
from wardround_tests.check import PythonTestCheck

_COROUTINE = "async def is_up(): ...\n"


class UnawaitedCoroutineInTest(PythonTestCheck):
    """A coroutine is called in a test and never awaited, so its body does not run.

    What would have failed in it never happens, and asserting the coroutine object itself is always true.
    Write await in an async test.
    """

    ID = "TE015"
    NAME = "unawaited-coroutine-in-test"
    TRIED_ON = (
        "331,000 lines of tests of flask, httpx, urllib3, celery, pytest, aiohttp, pydantic: no hit, so "
        "nothing wrong and nothing proven."
    )
    DEFECT_CLASS = "assertion-not-awaited"
    SEVERITY = Severity.ERROR
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(f"{_COROUTINE}async def test_up():\n    assert await is_up()\n", path="test_case.py"),
        Valid(
            f"import asyncio\n{_COROUTINE}def test_up():\n    assert asyncio.run(is_up())\n",
            path="test_case.py",
        ),
        Valid(f"{_COROUTINE}def test_up():\n    task = is_up()\n    assert run(task)\n", path="test_case.py"),
        Valid(f"@sync\n{_COROUTINE}def test_up():\n    assert is_up()\n", path="test_case.py"),
        Valid(
            f"{_COROUTINE}def test_up():\n    def is_up(): return True\n    assert is_up()\n",
            path="test_case.py",
        ),
        Valid("async def stream():\n    yield 1\ndef test_up():\n    assert stream()\n", path="test_case.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(f"{_COROUTINE}def test_up():\n    assert is_up()\n", line=3, column=12, path="test_case.py"),
        Invalid(
            "async def check_up():\n    assert up()\nasync def test_up():\n    check_up()\n",
            line=4,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            "class TestUp:\n    async def check(self):\n        assert up()\n    def test_up(self):\n"
            "        self.check()\n",
            line=5,
            column=9,
            path="test_case.py",
        ),
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
                self.module.span(node), f'"{called}" is a coroutine function; without await it does not run'
            )

    def _called(self, function: ast.expr, cls: ast.ClassDef | None) -> str | None:
        """The coroutine function of this module that a call calls; None if it is another or not certain."""
        home: ast.AST
        if isinstance(function, ast.Name):
            name, home = function.id, self.module.tree
        elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            if function.value.id != "self" or cls is None:
                return None
            name, home = function.attr, cls
        else:
            return None
        found = self.module.functions_named(name)
        if len(found) != 1 or self.module.parents[found[0]] is not home or not _is_plain_coroutine(found[0]):
            return None
        return name


def _is_plain_coroutine(node: ast.AST) -> bool:
    if not isinstance(node, ast.AsyncFunctionDef) or node.decorator_list:
        return False
    return not any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(node))
