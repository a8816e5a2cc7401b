from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeGuard

from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
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
        if all(map(_has_no_effect, statements)):
            if not case.node.decorator_list and not self._requested_fixtures(case):
                self._report(case, f'"{case.name}" is empty and always passes; implement or remove it')
            return
        claim = next(filter(_is_returned_claim, statements), None)
        if claim is not None:
            text = f'"{case.name}" returns its comparison, which the runner ignores; assert it'
            self.report(self.module.span(claim), text)
        else:
            self._check_unused_results(case)

    def _check_unused_results(self, case: TestCase) -> None:
        if dropped := self._discarded_checker(case):
            self._report(case, f'"{case.name}" discards the result of {dropped}() and asserts nothing')
        elif unread := _unread_result(case):
            self._report(case, f'"{case.name}" assigns {unread} but asserts nothing about it')
        elif not _is_smoke_test(case, self.module.text_of(case.node)):
            self._report(case, f'"{case.name}" calls the code but asserts nothing', Severity.INFO)

    def _discarded_checker(self, case: TestCase) -> str:
        """Return a checking function of the module whose result the test discards."""
        for node in self.module.nodes_of(case):
            match node:
                case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
                    if name in self.module.helpers.harmless and ASSERTING_NAME.search(name):
                        return name
        return ""

    def _report(self, case: TestCase, message: str, severity: Severity | None = None) -> None:
        self.report(self.module.name_span(case.node), message, severity=severity)

    def _may_assert(self, case: TestCase) -> bool:
        parameters = case.parameters
        if parameters & _VERIFYING or any(map(_verifies_requests, self._requested_fixtures(case))):
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

    def _requested_fixtures(self, case: TestCase) -> list[FunctionNode]:
        """Return the fixtures of the module that a test requests; the code under test may be in them."""
        functions = self.module.support_functions
        return [
            function for function in functions if function.name in case.parameters and is_fixture(function)
        ]

    def _is_soft_assertion(self, node: ast.AST) -> bool:
        """Return True for a call of pytest-check."""
        name = self.module.imported_name(node.func) if isinstance(node, ast.Call) else None
        return name is not None and name.startswith("pytest_check.")


def _has_no_effect(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or _is_ellipsis(statement)


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
    prints = list(filter(_is_print, nodes))
    assignments = list(filter(_binds_names, nodes))
    printed = {name for call in prints for name in _loaded_names(walk(call))}
    excluded = set(_nodes_in([*prints, *(assignment.value for assignment in assignments)]))
    others = (node for node in walk(case.node) if node not in excluded)
    read = _names_read_transitively(_loaded_names(others), assignments)
    for name in _results(assignments):
        if name not in read and (name in printed or _RESULT_NAME.search(name)):
            return name
    return None


def _is_print(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and last_name(node.func) in ("print", "pprint")


def _binds_names(node: ast.AST) -> TypeGuard[ast.Assign]:
    """Return True for an assignment whose targets are all plain names."""
    if not isinstance(node, ast.Assign):
        return False
    return all(isinstance(target, ast.Name) for target in node.targets)


def _nodes_in(roots: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for root in roots:
        yield from walk(root)


def _results(assigned: Sequence[ast.Assign]) -> list[str]:
    """Return the names that are bound to the result of a call, in source order."""
    names: dict[str, None] = {}
    for assignment in assigned:
        if isinstance(assignment.value, (ast.Call, ast.Await)):
            names |= dict.fromkeys(_targets(assignment))
    return list(names)


def _targets(assignment: ast.Assign) -> list[str]:
    return [target.id for target in assignment.targets if isinstance(target, ast.Name)]


def _names_read_transitively(read: set[str], assigned: Sequence[ast.Assign]) -> set[str]:
    """Return the names that are read, directly or in the value of a name that is read."""
    loaded_by_name = [
        (name, _loaded_names(walk(assignment.value)))
        for assignment in assigned
        for name in _targets(assignment)
    ]
    is_growing = True
    while is_growing:
        before = len(read)
        for name, loaded in loaded_by_name:
            if name in read:
                read = read | loaded
        is_growing = len(read) > before
    return read


def _loaded_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that some nodes read."""
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _is_smoke_test(case: TestCase, text: str) -> bool:
    """Return True if the name or docstring of a test states that it only verifies that nothing fails."""
    class_name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", case.cls.name).lower() if case.cls else ""
    return bool(
        _SMOKE_NAME.search(case.name.lower().removeprefix("test_"))
        or _SMOKE_NAME.search(class_name)
        or _SMOKE_TEXT.search(text)
    )
