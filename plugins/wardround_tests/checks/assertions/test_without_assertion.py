"""TE001: tests without an assertion."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.fixtures import is_fixture
from wardround_tests.models.python_tests import TestCase, has_unknown_decorator
from wardround_tests.models.syntax import ASSERTING_NAME, FUNCTIONS, body_of, last_name, own_nodes

if TYPE_CHECKING:
    from wardround_tests.models.asserting_objects import AssertingObjects

_SMOKE_NAME = LazyPattern(
    r"smoke|import|crash|error|rais|throw|fail|work|runs?(_|$)|compil|leak|hang|deadlock|segfault|warn|"
    r"does_?n[o']?t|(^|_)(no|not|non|never|without|allow|allows|allowed|accept|accepts|ok|can|valid|safe|"
    r"silent|silently|quiet|ignore|ignores|ignored|noop|nop|idempotent|tolerates?|handles?|supports?|"
    r"regression|issue|gh|bug|benchmark|bench|perf|fuzz|typing|types|mypy|example|examples|doc|docs|demo|"
    r"sanity|exit|close|closes|closed|cleanup|skip|skips|skipped)(_|\d|$)"
)
_SMOKE_TEXT = LazyPattern(
    r"(?i)\b(not|n't|no|never|without)\b[^\n]{0,40}\b(rais|crash|fail|error|hang|warn|except|throw|deadlock|"
    r"block|leak|segfault|blow|break|complain|problem)|smoke|\bshould (work|pass|succeed|be (ok|fine|valid))|"
    r"\bworks?\b|\b(mypy|pyright|type.?check)|simplefilter\(|skipTest\(|pytest\.skip\("
)


_RESULT_NAME = LazyPattern(
    r"^(res|ret|rv|got|out|actual|answer|value|data|response|resp|result|output)s?$|_result$|^result_"
)

_VERIFYING = frozenset({"respx_mock", "httpx_mock"})
"""Fixtures that fail at the end of a test unless every registered request was sent."""


class TestWithoutAssertion(PythonTestCheck):
    """A test asserts nothing, so it passes whatever the code returns.

    It fails only if something raises, and a wrong result does not raise. Assert the result or the side effect
    of the call; if the test verifies that nothing is raised, state that in its name.
    """

    ID = "TE001"
    NAME = "test-without-assertion"
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            def test_sum():
                assert add(1, 2) == 3
        """),
        code(
            """
            def test_sum():
                add(1, 2)
            """,
            path="tests/helper.py",
        ),
    ]
    INVALID = [
        code("""
            def «test_sum»():
                result = add(1, 2)
                print(result)
        """),
        code(
            """
            async def «test_sum»(client):
                await client.get('/sum')
            """,
            path="tests/test_case.py",
        ),
    ]

    def check_test(self, case: TestCase) -> None:
        if has_unknown_decorator(case) or self._may_assert(case):
            return
        statements = body_of(case.node)
        if all(isinstance(s, ast.Pass) or _is_ellipsis(s) for s in statements):
            if not case.node.decorator_list and not self._own_fixtures(case):
                self._report(case, f'"{case.name}" is empty and always passes; implement or remove it')
        elif returned := next((s for s in statements if _is_returned_claim(s)), None):
            text = f'"{case.name}" returns its comparison, which the runner ignores; assert it'
            self.report(self.module.span(returned), text)
        else:
            self._check_unused_results(case)

    def _check_unused_results(self, case: TestCase) -> None:
        if dropped := self._dropped(case):
            self._report(case, f'"{case.name}" discards the result of {dropped}() and asserts nothing')
        elif unread := _unread_result(case):
            self._report(case, f'"{case.name}" assigns {unread} but asserts nothing about it')
        elif not _is_smoke_test(case, self.module.text_of(case.node)):
            self._report(case, f'"{case.name}" calls the code but asserts nothing', Severity.INFO)

    def _dropped(self, case: TestCase) -> str:
        """Return a checking function of the module whose result the test discards."""
        calls = (n.value for n in self.module.nodes_of(case) if isinstance(n, ast.Expr))
        names = (c.func.id for c in calls if isinstance(c, ast.Call) and isinstance(c.func, ast.Name))
        return next((n for n in names if n in self.module.helpers.harmless and ASSERTING_NAME.search(n)), "")

    def _report(self, case: TestCase, message: str, severity: Severity | None = None) -> None:
        self.report(self.module.name_span(case.node), message, severity=severity)

    def _may_assert(self, case: TestCase) -> bool:
        parameters = case.parameters
        if parameters & _VERIFYING or any(map(_verifies_requests, self._own_fixtures(case))):
            return True
        for node in self.module.all_nodes_of(case):
            if self.module.asserts(node) or _is_verifying_mock(node) or self._is_soft_assertion(node):
                return True
            if isinstance(node, ast.Call) and _is_unresolved(node.func, parameters, case):
                return True
        return self._asserting_objects.assert_in(case.node, case.cls)

    @cached_property
    def _asserting_objects(self) -> AssertingObjects:
        from wardround_tests.models.asserting_objects import AssertingObjects  # only for suspects

        return AssertingObjects(self.module, self.source.project)

    def _own_fixtures(self, case: TestCase) -> list[FunctionNode]:
        """Return the fixtures of the module that a test requests; the code under test may be in them."""
        functions = self.module.support_functions
        return [one for one in functions if one.name in case.parameters and is_fixture(one)]

    def _is_soft_assertion(self, node: ast.AST) -> bool:
        """Return True for a call of pytest-check."""
        name = self.module.imported_name(node.func) if isinstance(node, ast.Call) else None
        return name is not None and name.startswith("pytest_check.")


def _verifies_requests(fixture: FunctionNode) -> bool:
    return any(map(_is_verifying_mock, walk(fixture)))


def _is_verifying_mock(node: ast.AST) -> bool:
    """Return True for a mock that fails at its end unless every registered request was sent."""
    if not isinstance(node, ast.Call) or last_name(node) != "RequestsMock":
        return False
    return not any(
        k.arg == "assert_all_requests_are_fired" and isinstance(k.value, ast.Constant) and not k.value.value
        for k in node.keywords
    )


def _is_unresolved(function: ast.expr, parameters: frozenset[str], case: TestCase) -> bool:
    """Return True if a call goes to a fixture or an inherited method, which may assert."""
    if isinstance(function, ast.Name):
        return function.id in parameters
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return (
            function.value.id == "self" and case.cls is not None and function.attr not in _methods(case.cls)
        )
    return False


def _methods(cls: ast.ClassDef) -> set[str]:
    return {statement.name for statement in cls.body if isinstance(statement, FUNCTIONS)}


def _is_ellipsis(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and statement.value.value is ...
    )


def _is_returned_claim(statement: ast.stmt) -> bool:
    """Return True if a test returns a comparison, which the runner ignores."""
    value = statement.value if isinstance(statement, ast.Return) else None
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        return True
    return isinstance(value, (ast.Compare, ast.BoolOp)) or (
        isinstance(value, ast.Call) and last_name(value.func) in ("isinstance", "all", "any", "hasattr")
    )


def _unread_result(case: TestCase) -> str | None:
    """Return a result that a test assigns and at most prints."""
    nodes = list(own_nodes(case.node.body))
    prints = [n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) in ("print", "pprint")]
    assigned = [
        n for n in nodes if isinstance(n, ast.Assign) and all(isinstance(t, ast.Name) for t in n.targets)
    ]
    printed = {name for one in prints for name in _loaded(walk(one))}
    excluded = {n for root in (*prints, *(one.value for one in assigned)) for n in walk(root)}
    read = _transitively_read(_loaded(n for n in walk(case.node) if n not in excluded), assigned)
    for name in _results(assigned):
        is_result = _RESULT_NAME.search(name) is not None
        if name not in read and (is_result or name in printed):
            return name
    return None


def _results(assigned: Sequence[ast.Assign]) -> list[str]:
    """Return the names that are bound to the result of a call, in source order."""
    calls = (one for one in assigned if isinstance(one.value, (ast.Call, ast.Await)))
    return list(dict.fromkeys(t.id for one in calls for t in one.targets if isinstance(t, ast.Name)))


def _transitively_read(read: set[str], assigned: Sequence[ast.Assign]) -> set[str]:
    """Return the names that are read, directly or in the value of a name that is read."""
    derived = [
        (t.id, _loaded(walk(one.value))) for one in assigned for t in one.targets if isinstance(t, ast.Name)
    ]
    while more := {one for name, loaded in derived if name in read for one in loaded} - read:
        read |= more
    return read


def _loaded(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that some nodes read."""
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _is_smoke_test(case: TestCase, text: str) -> bool:
    """Return True if a test's name or text states that it only verifies that nothing fails."""
    class_name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", case.cls.name).lower() if case.cls else ""
    return bool(
        _SMOKE_NAME.search(case.name.lower().removeprefix("test_"))
        or _SMOKE_NAME.search(class_name)
        or _SMOKE_TEXT.search(text)
    )
