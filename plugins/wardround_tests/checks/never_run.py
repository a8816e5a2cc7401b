"""TE016."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.findings import Severity
from wardround_tests.check import PythonTestCheck
from wardround_tests.module import TestCase

_UNIT = "import unittest\n"


class NeverRun(PythonTestCheck):
    """An async test stands in a class that does not await its tests.

    ``unittest.TestCase`` calls the method, gets a coroutine, and counts the test as passed without running a
    line of it. Derive from ``unittest.IsolatedAsyncioTestCase``.
    """

    ID = "TE016"
    NAME = "async-test-never-runs"
    TRIED_ON = (
        "331,000 lines of tests of flask, httpx, urllib3, celery, pytest, aiohttp, pydantic: 1 hit, in "
        "a sample project that does it on purpose."
    )
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "assertion-not-awaited"
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            f"{_UNIT}class TestUp(unittest.IsolatedAsyncioTestCase):\n    async def test_up(self):\n"
            "        assert await up()\n",
            path="test_case.py",
        ),
        Valid(
            f"{_UNIT}class TestUp(unittest.TestCase):\n    @run_async\n    async def test_up(self):\n"
            "        assert await up()\n",
            path="test_case.py",
        ),
        Valid(
            "from django.test import TestCase\nclass TestUp(TestCase):\n    async def test_up(self):\n"
            "        assert await up()\n",
            path="test_case.py",
        ),
        Valid(
            "class TestUp:\n    async def test_up(self):\n        assert await up()\n", path="test_case.py"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            f"{_UNIT}class TestUp(unittest.TestCase):\n    async def test_up(self):\n"
            "        assert await up()\n",
            line=3,
            column=15,
            path="test_case.py",
        ),
        Invalid(
            "from unittest import TestCase\nclass UpTest(TestCase):\n    async def test_up(self):\n"
            "        self.assertTrue(await up())\n",
            line=3,
            column=15,
            path="test_case.py",
        ),
        Invalid(
            "from unittest import TestCase as Case\nclass UpTest(Case):\n    def test_a(self):\n"
            "        self.assertTrue(a())\n    async def test_up(self):\n        ok(await up())\n",
            line=5,
            column=15,
            path="test_case.py",
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        return "async def test" in source.text and "TestCase" in source.text

    def look_at(self, case: TestCase) -> None:
        if case.cls is None or not isinstance(case.node, ast.AsyncFunctionDef) or case.node.decorator_list:
            return
        bases = [self.module.imported_name(base) for base in case.cls.bases]
        if bases == ["unittest.TestCase"] and not case.cls.decorator_list:
            text = f'"{case.name}" is never awaited by unittest.TestCase, and passes'
            self.report(self.module.name_span(case.node), text)
