from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import own_nodes

_CALLS = frozenset({"os.putenv", "os.chdir", "os.environ.update", "os.environ.setdefault", "os.umask"})
_RESTORING = LazyPattern(r"environ|chdir|monkeypatch|getcwd|umask")
_TESTS_RUN = LazyPattern(r"(?i)(?:^|_)test(?:s|ing)?(?:_mode|_run)?$|^(?:\w+_)?(?:env|environment|mode)$")
"""Names of variables that mark a test run, and therefore hold for all tests."""


class LeakedEnvironment(PythonTestCheck):
    """A test changes the environment or the working directory and does not restore it.

    Every later test in the same process sees the change, so its outcome depends on the order. Use
    ``monkeypatch.setenv`` and ``monkeypatch.chdir``, or ``mock.patch.dict(os.environ, ...)``.
    """

    ID = "TE018"
    NAME = "leaked-environment"
    DEFECT_CLASS = "order-dependent-tests"
    VALID = [
        code("""
            def test_region(monkeypatch):
                monkeypatch.setenv('REGION', 'eu')
                assert region() == 'eu'
        """),
        code("""
            import os
            def test_region():
                os.environ['REGION'] = 'eu'
                try:
                    assert region() == 'eu'
                finally:
                    del os.environ['REGION']
        """),
    ]
    INVALID = [
        code("""
            import os
            def use(**values):
                for name, value in values.items():
                    «os.environ[name.upper()] = value»
            def test_region():
                use(region='eu')
                assert region() == 'eu'
        """),
        code("""
            import os
            def test_region():
                «os.environ['REGION'] = 'eu'»
                assert region() == 'eu'
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return re.search(r"environ\b|putenv|chdir|umask", source.text) is not None

    def visit_Module(self, node: ast.Module) -> None:
        """Check helpers of the tests, which affect their callers, and set-up."""
        for helper in self.module.support_functions:
            if helper.decorator_list or _returns_control(helper):
                continue
            found = self._first_change(tuple(own_nodes(helper.body)))
            case = TestCase(helper, self.module.class_of(helper))
            if isinstance(found, ast.stmt) and not self._is_restored(case, found):
                self._report(found)

    def check_test(self, case: TestCase) -> None:
        found = self._first_change(self.module.nodes_of(case))
        if isinstance(found, ast.stmt) and not self._is_restored(case, found):
            self._report(found)

    def _report(self, change: ast.stmt) -> None:
        what = "working directory" if "chdir" in unparse(change) else "environment"
        text = f"{what} is not restored and affects later tests; use monkeypatch"
        self.report(self.module.span(change), text)

    def _first_change(self, nodes: Sequence[ast.AST]) -> ast.AST | None:
        """Return the first change of the nodes of a function that ``monkeypatch`` does not undo."""
        return next(
            (node for node in nodes if self._is_change(node) and not self._is_patched(node, nodes)), None
        )

    def _is_patched(self, change: ast.AST, nodes: Sequence[ast.AST]) -> bool:
        """Return True if ``monkeypatch`` changed the same state before, and so restores it."""
        if isinstance(change, ast.Assign) and isinstance(change.targets[0], ast.Subscript):
            method, name = "monkeypatch.setenv", unparse(change.targets[0].slice)
        elif "chdir" in unparse(change):
            method, name = "monkeypatch.chdir", ""
        else:
            return False
        return any(
            isinstance(node, ast.Call)
            and self.module.qualified_name(node.func) == method
            and node.lineno < getattr(change, "lineno", 0)
            and (not name or (node.args and unparse(node.args[0]) == name))
            for node in nodes
        )

    def _is_change(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            return (
                isinstance(target, ast.Subscript)
                and self._is_environment(target.value)
                and not _marks_test_run(target.slice, node.value)
            )
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return self.module.imported_name(node.value.func) in _CALLS
        return False

    def _is_environment(self, node: ast.expr) -> bool:
        return self.module.imported_name(node) == "os.environ"

    def _is_restored(self, case: TestCase, change: ast.stmt) -> bool:
        """Return True if the test, its set-up or another function of the module restores the state."""
        if any(isinstance(parent, (ast.With, ast.Try)) for parent in self.module.ancestors(change)):
            return True
        for node in self.module.nodes_of(case):
            if getattr(node, "lineno", 0) <= change.lineno:
                continue
            if isinstance(node, (ast.Try, ast.Delete)) or self._undoes_change(node):
                return True
        return _is_isolated(case) or any(function is not case.node for function in self._restoring_functions)

    @cached_property
    def _restoring_functions(self) -> list[FunctionNode]:
        """Functions that are not tests and restore what tests change."""
        others = (function for function in self.module.functions if not _is_test(function.name))
        return [node for node in others if _RESTORING.search(unparse(node))]

    def _undoes_change(self, node: ast.AST) -> bool:
        """Return True if a later step of the test restores the state or registers a cleanup."""
        if isinstance(node, ast.Call):
            text = unparse(node)
            return (
                re.search(r"addCleanup|addfinalizer|environ\.(pop|clear|update)|chdir|umask|unsetenv", text)
                is not None
            )
        return False


def _returns_control(helper: ast.AST) -> bool:
    """Return True if a helper yields to the test, or returns the changed object to the caller."""
    return any(
        isinstance(n, (ast.Yield, ast.YieldFrom)) or (isinstance(n, ast.Return) and n.value is not None)
        for n in walk(helper)
    )


def _is_test(name: str) -> bool:
    return name.startswith("test")


def _marks_test_run(name: ast.expr, value: ast.expr) -> bool:
    """Return True for ``TESTING=True`` and ``APP_ENV="test"``, which hold for every test."""
    if not isinstance(name, ast.Constant) or not isinstance(value, ast.Constant):
        return False
    if not _TESTS_RUN.search(str(name.value)):
        return False
    return "test" in str(name.value).lower() or str(value.value).lower().startswith("test")


def _is_isolated(case: TestCase) -> bool:
    """Return True if a decorator or fixture of a test isolates its environment."""
    decorators = [*case.node.decorator_list, *(case.cls.decorator_list if case.cls else [])]
    if any(re.search(r"patch|environ|isolat|temp", unparse(decorator)) for decorator in decorators):
        return True
    fixtures = r"tmp_?environ|restore_env|clean_env|fs\b|runner"
    return re.search(fixtures, " ".join(case.parameters)) is not None
