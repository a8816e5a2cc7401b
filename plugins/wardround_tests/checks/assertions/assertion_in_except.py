from __future__ import annotations

import ast
from collections.abc import Callable

from wardround.checks.source import SourceFile
from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
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
        body = case.node.body
        if node not in body or any(map(self._can_fail, node.orelse)):
            return True
        if _is_expected_before(node, case):
            return True
        if any(self._can_fail(statement, self._is_under_test) for statement in node.body):
            return True
        if self._uses_nested_function(node, case):
            return True
        return any(map(self._can_fail, body[body.index(node) + 1 :]))

    def _uses_nested_function(self, node: ast.Try, case: TestCase) -> bool:
        """Return True if the block uses a function that the test defines."""
        functions = [other for other in self.module.all_nodes_of(case) if isinstance(other, FUNCTIONS)]
        nested = {function.name for function in functions if function is not case.node}
        for statement in node.body:
            if any(isinstance(part, ast.Name) and part.id in nested for part in walk(statement)):
                return True
        return False

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
        isinstance(statement, (ast.With, ast.AsyncWith))
        and any(last_name(item.context_expr) in _RAISING for item in statement.items)
        and ast.dump(statement.body[-1]) == last
        for statement in earlier
    )


def _handler_asserts(handler: ast.ExceptHandler) -> bool:
    return any(_asserts_about(node, handler) for node in own_nodes(handler.body))


def _asserts_about(node: ast.AST, handler: ast.ExceptHandler) -> bool:
    """Return True if a node asserts something about the exception, not that there should be none."""
    match node:
        case ast.Assert(test=ast.Constant(value=value)):
            return bool(value)
        case ast.Raise():
            return False
        case ast.Call(func=function) if last_name(function) in ("fail", "AssertionError"):
            return False
    if not is_assertion(node):
        return False
    if handler.name is None:
        return is_certain_assertion(node)
    subject = node.test if isinstance(node, ast.Assert) else node
    return any(isinstance(part, ast.Name) and part.id == handler.name for part in walk(subject))
