"""TE013: assertions in exception handlers."""

from __future__ import annotations

import ast
from collections.abc import Callable

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.languages.python.tree import walk
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS, is_assertion, is_certain_assertion, last_name, own_nodes

_CHECKING = LazyPattern(r"(check|verify|validate|ensure|match|compare|must|confirm)(_|[A-Z]|$)")

_RAISING = frozenset({"raises", "assertRaises", "assertRaisesRegex", "assertRaisesMessage"})


class AssertionInExcept(PythonTestCheck):
    """A test asserts only inside an exception handler.

    If nothing is raised, the handler does not run and the test passes without an assertion. Use
    ``pytest.raises`` or ``assertRaises``, which fail if nothing is raised.
    """

    ID = "TE013"
    NAME = "assertion-in-except"
    DEFECT_CLASS = "conditional-assertion"
    VALID = [
        code("""
            def test_add():
                try:
                    add(1, 'a')
                    assert False, 'raises'
                except TypeError as e:
                    assert e.args
        """),
        code("""
            def test_add():
                try:
                    add(1, 'a')
                except TypeError as e:
                    assert e.args
                else:
                    assert 0
        """),
    ]
    INVALID = [
        code("""
            def test_add():
                «try»:
                    add(1, 'a')
                except TypeError:
                    assert log == []
        """),
        code("""
            def test_add():
                «try»:
                    add(1, 'a')
                except TypeError:
                    assert True
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "except" in source.text

    def visit_Try(self, node: ast.Try) -> None:
        case = self.module.test_of(node)
        if case is None or not any(map(_handler_asserts, node.handlers)):
            return
        if not self._fails_otherwise(node, case):
            text = "test passes if nothing is raised: only the handler asserts; use pytest.raises"
            self.report(self.module.keyword_span(node, len("try")), text)

    def _fails_otherwise(self, node: ast.Try, case: TestCase) -> bool:
        """Return True if the test may fail when nothing is raised."""
        if node not in case.node.body or any(self._can_fail(s) for s in node.orelse):
            return True
        if _is_expected_before(node, case):
            return True
        if any(self._can_fail(s, self._is_under_test) for s in node.body) or self._calls_nested(node, case):
            return True
        return any(self._can_fail(s) for s in case.node.body[case.node.body.index(node) + 1 :])

    def _calls_nested(self, node: ast.Try, case: TestCase) -> bool:
        """Return True if the block uses a function that the test defines."""
        nested = {
            n.name for n in self.module.all_nodes_of(case) if isinstance(n, FUNCTIONS) and n is not case.node
        }
        return any(isinstance(n, ast.Name) and n.id in nested for s in node.body for n in walk(s))

    def _can_fail(self, statement: ast.stmt, but: Callable[[ast.AST], bool] = lambda node: False) -> bool:
        return isinstance(statement, ast.Return) or any(
            self.module.asserts(n) and not but(n) for n in walk(statement)
        )

    def _is_under_test(self, node: ast.AST) -> bool:
        """Return True if a checking call belongs to the imported code under test."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return False
        name = node.func.id
        is_imported = self.module.imported_name(node.func) is not None
        return is_imported and name not in self.module.helpers.unknown and _CHECKING.match(name) is not None


def _is_expected_before(node: ast.Try, case: TestCase) -> bool:
    """Return True if the test has verified before that the last statement of the block raises."""
    last = ast.dump(node.body[-1])
    earlier = (n for s in case.node.body[: case.node.body.index(node)] for n in walk(s))
    return any(
        isinstance(one, (ast.With, ast.AsyncWith))
        and any(last_name(item.context_expr) in _RAISING for item in one.items)
        and ast.dump(one.body[-1]) == last
        for one in earlier
    )


def _handler_asserts(handler: ast.ExceptHandler) -> bool:
    return any(_asserts_about(node, handler) for node in own_nodes(handler.body))


def _asserts_about(node: ast.AST, handler: ast.ExceptHandler) -> bool:
    """Return True if a node asserts something about the exception, not that there should be none."""
    if isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant):
        return bool(node.test.value)
    if isinstance(node, ast.Raise) or not is_assertion(node):
        return False
    if isinstance(node, ast.Call) and last_name(node.func) in ("fail", "AssertionError"):
        return False
    if handler.name is None:
        return is_certain_assertion(node)
    subject = node.test if isinstance(node, ast.Assert) else node
    return any(isinstance(n, ast.Name) and n.id == handler.name for n in walk(subject))
