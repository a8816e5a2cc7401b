"""TE016: async tests that are never awaited."""

from __future__ import annotations

import ast
from functools import cached_property, partial
from typing import TypeGuard

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase

_PLUGINS = (
    "anyio", "alt-pytest-asyncio", "pytest-aiohttp", "pytest-anyio", "pytest-sanic",
    "pytest-tornado", "pytest-tornasync", "pytest-trio", "pytest-twisted", "pytest_aiohttp", "pytest_trio",
    "pytest_twisted", "trio_mode",
)  # fmt: skip
"""Plugins that run unmarked async tests in some mode, as requirements and settings name them."""
_BY_MARK = ("pytest-asyncio", "pytest_asyncio")
"""Plugin that runs only marked tests, unless its mode is auto."""
_OWN_RUNNERS = ("asyncio_mode", "asyncio-mode", "iscoroutinefunction", "pytest_collection_modifyitems",
                "pytest_pycollect_makeitem", "pytest_pyfunc_call")  # fmt: skip
"""Settings and plugin hooks by which a project may run unmarked async tests."""
_MANIFESTS = (
    "*.toml", "*.cfg", "*.ini", "*.txt", "*.in", "*.lock", "*.yml", "*.yaml", "Pipfile", "*conftest.py",
    "*setup.py", "*noxfile.py", "*tasks.py", "Makefile", "*.nix", "BUILD*",
)  # fmt: skip
_RUNS_ASYNC = LazyPattern(r"\b(asyncio|anyio|trio|async|tornado|twisted|inlineCallbacks|gen_test)\w*")


class AsyncTestNeverRuns(PythonTestCheck):
    """An async test is never awaited.

    ``unittest.TestCase`` calls the method, gets a coroutine, and counts the test as passed without running
    its body: derive from ``unittest.IsolatedAsyncioTestCase``. pytest needs a plugin to run async tests:
    without pytest-asyncio or anyio, or without the plugin's mark in strict mode, it skips or fails the test.
    """

    ID = "TE016"
    NAME = "async-test-never-runs"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "assertion-not-awaited"
    VALID = [
        code("""
            import unittest
            class TestUp(unittest.IsolatedAsyncioTestCase):
                async def test_up(self):
                    assert await up()
        """),
        code("""
            import unittest
            class TestUp(unittest.TestCase):
                @run_async
                async def test_up(self):
                    assert await up()
        """),
    ]
    INVALID = [
        code("""
            import unittest
            class TestUp(unittest.TestCase):
                async def «test_up»(self):
                    assert await up()
        """),
        code("""
            from unittest import TestCase
            class UpTest(TestCase):
                async def «test_up»(self):
                    self.assertTrue(await up())
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "async def test" in source.text

    def check_test(self, case: TestCase) -> None:
        if not isinstance(case.node, ast.AsyncFunctionDef):
            return
        bases = [self.module.imported_name(base) for base in (case.cls.bases if case.cls else ())]
        if bases == ["unittest.TestCase"] and not _decorators(case):
            text = f'unittest.TestCase never awaits "{case.name}", so it passes; use IsolatedAsyncioTestCase'
            self.report(self.module.name_span(case.node), text)
        elif not bases and self._missing_plugin and not self._may_be_run(case):
            self.report(
                self.module.name_span(case.node), f'pytest does not run "{case.name}": {self._missing_plugin}'
            )

    def _may_be_run(self, case: TestCase) -> bool:
        """Return True if a decorator or a mark of the module may run the test, or it yields."""
        unusual = (
            d for d in _decorators(case) if not unparse(d).startswith(("pytest.mark.", "mock.", "patch"))
        )
        marks = " ".join(unparse(one) for one in _decorators(case))
        arguments = " ".join(one.arg for one in case.node.args.args)
        return any(unusual) or _RUNS_ASYNC.search(f"{marks} {arguments} {self._module_marks}") is not None

    @cached_property
    def _module_marks(self) -> str:
        """Marks of the module, and imports that may provide a runner."""
        marked = (unparse(n.value) for n in self.module.tree.body if _assigns(n, "pytestmark"))
        return " ".join([*marked, *(name for name in self.module.imported.values() if "pytest" in name)])

    @cached_property
    def _missing_plugin(self) -> str:
        """Missing requirement of unmarked async tests in this project; empty if none or unknown."""
        contained = partial(self.source.project.files_with_word, patterns=_MANIFESTS)
        if not contained(["pytest"]) or contained([*_PLUGINS, *_OWN_RUNNERS]):
            return ""
        if contained(_BY_MARK):
            return "mark it with pytest.mark.asyncio, or set asyncio_mode to auto"
        return "the requirements contain no plugin for async tests; add pytest-asyncio or anyio"


def _decorators(case: TestCase) -> list[ast.expr]:
    return [*case.node.decorator_list, *(case.cls.decorator_list if case.cls else ())]


def _assigns(node: ast.stmt, name: str) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and [unparse(target) for target in node.targets] == [name]
