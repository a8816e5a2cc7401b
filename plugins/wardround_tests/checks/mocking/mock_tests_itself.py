"""TE003: tests that only exercise a mock."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import body_of, equality_operands, last_name, own_nodes, root_name

_MOCKS = frozenset({"Mock", "MagicMock", "AsyncMock", "NonCallableMock", "create_autospec"})
_UNARY_ASSERTIONS = frozenset({"assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone"})
_MAY_MOCK = LazyPattern("Mock|create_autospec")
_METHOD_OF_CLASS = LazyPattern(r"(?:^|\.)([A-Z]\w*)\.\w+$")
_PLAIN = frozenset(
    {"Decimal", "Fraction", "date", "datetime", "timedelta", "len", "list", "sorted", "str", "set"}
)
"""Calls that create or measure plain values, as in an expected value."""


class MockTestsItself(PythonTestCheck):
    """A test calls a mock directly and asserts the value it configured.

    No code of the project runs in between, so only the mock library is tested. Pass the mock to the code
    under test and assert the behaviour of that code.
    """

    ID = "TE003"
    NAME = "mock-tests-itself"
    MATURITY = Maturity.PREVIEW
    VALID = [
        code("""
            from unittest.mock import Mock
            def test_total():
                shop = Mock()
                shop.total.return_value = 3
                assert Basket(shop).total() == 3
        """),
        code("""
            from unittest.mock import Mock
            def test_total():
                shop = Mock()
                Basket(shop).pay()
                shop.total.assert_called_once_with()
        """),
    ]
    INVALID = [
        code("""
            import pytest
            from unittest.mock import MagicMock
            @pytest.fixture
            def shop():
                made = MagicMock(spec=Shop)
                made.total.return_value = 3
                return made
            def «test_total»(shop):
                assert shop.total('a') == 3
        """),
        code("""
            from unittest.mock import patch
            import shop
            def «test_total»():
                with patch.object(shop, 'total', return_value=3):
                    assert shop.total() == 3
        """),
    ]

    def check_test(self, case: TestCase) -> None:
        self._check_replaced(case)
        if not self.module.contains(_MAY_MOCK):
            return
        statements = body_of(case.node)
        mocks = {name for statement in statements for name in _mock_names(statement)}
        mocks |= case.parameters & self._mock_fixtures
        if not mocks or not _uses_only(statements, mocks):
            return
        calls = [n for n in own_nodes(statements) if isinstance(n, ast.Call) and _is_use(n, mocks)]
        if calls:
            text = f'"{root_name(calls[0].func)}" is a mock that only this test calls'
            self.report(self.module.name_span(case.node), text)

    @cached_property
    def _mock_fixtures(self) -> frozenset[str]:
        """Fixtures of the module that return only a mock."""
        found: set[str] = set()
        for maker in self.module.support_functions:
            if not any(last_name(one) == "fixture" for one in maker.decorator_list):
                continue
            assertions = {name for statement in maker.body for name in _mock_names(statement)}
            provided = [n.value for n in own_nodes(maker.body) if isinstance(n, (ast.Return, ast.Yield))]
            if provided and all(isinstance(one, ast.Name) and one.id in assertions for one in provided):
                found.add(maker.name)
        return frozenset(found)

    def _check_replaced(self, case: TestCase) -> None:
        """Report a test that only asserts the configured return value of the function it replaced."""
        configured = _configured_by_name(case)
        replaced = {
            name for call in _replacing_calls(case) for name in self._replaced(call, call in configured)
        }
        if not replaced:
            return
        assertions = [n for n in self.module.nodes_of(case) if self.module.asserts(n) and not _is_of_mock(n)]
        if not assertions or not all(self._asserts_replaced(node, case, replaced) for node in assertions):
            return
        text = f'"{case.name}" replaces {sorted(replaced)[0]} and asserts its configured return value'
        self.report(self.module.name_span(case.node), text)

    def _replaced(self, call: ast.Call, is_configured: bool) -> Iterator[str]:
        """Yield the target that a call of patch or setattr replaces with a fixed return value."""
        name, arguments = last_name(call.func), call.args
        target = ""
        if name == "patch" and (is_configured or _sets_return_value(call, arguments[1:])):
            target = _text_of(arguments)
        elif name in ("object", "setattr") and len(arguments) > 1:
            if is_configured or _sets_return_value(call, arguments[2:]):
                target = self._attribute(arguments[0], arguments[1])
            elif name == "setattr" and len(arguments) == 2 and _sets_return_value(call, arguments[1:]):
                target = _text_of(arguments)
        if target:
            yield target

    def _attribute(self, owner: ast.expr, attribute: ast.expr) -> str:
        """Return the full name of an attribute; empty if unknown."""
        dotted = self.module.dotted(owner)
        is_name = isinstance(attribute, ast.Constant) and isinstance(attribute.value, str)
        return f"{dotted}.{attribute.value}" if dotted and is_name else ""  # type: ignore[attr-defined]

    def _asserts_replaced(self, node: ast.AST, case: TestCase, replaced: set[str]) -> bool:
        """Return True if an assertion reads the result of the replaced function."""
        operands: Sequence[ast.expr] = equality_operands(node) or ()
        if not operands and isinstance(node, ast.Call) and last_name(node.func) in _UNARY_ASSERTIONS:
            operands = node.args[:1]
        return any(self._is_configured_result(side, case, replaced) for side in operands)

    def _is_of_made_class(self, name: str) -> bool:
        """Return True if the replaced attribute is a method of a class that this module instantiates."""
        match = _METHOD_OF_CLASS.search(name)
        return match is not None and f"{match[1]}(" in self.module.text

    def _is_configured_result(self, side: ast.expr, case: TestCase, replaced: set[str]) -> bool:
        while isinstance(side, (ast.Attribute, ast.Subscript)):
            side = side.value
        if isinstance(side, ast.Name):
            bound = [
                n.value
                for n in self.module.nodes_of(case)
                if isinstance(n, ast.Assign) and _binds(n, side.id)
            ]
            return len(bound) == 1 and self._is_configured_result(bound[0], case, replaced)
        if isinstance(side, ast.Await):
            side = side.value
        if not isinstance(side, ast.Call):
            return False
        methods = {name.rpartition(".")[2] for name in replaced if self._is_of_made_class(name)}
        is_method = isinstance(side.func, ast.Attribute) and side.func.attr in methods
        return is_method or self.module.dotted(side.func) in replaced


def _mock_names(statement: ast.stmt) -> list[str]:
    """Return the names that a statement binds to a new mock."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return []
    if last_name(statement.value.func) not in _MOCKS:
        return []
    return [target.id for target in statement.targets if isinstance(target, ast.Name)]


def _replacing_calls(case: TestCase) -> Iterator[ast.Call]:
    """Yield the calls that may replace something for a complete test: decorators, with items, statements."""
    for node in (*case.node.decorator_list, *own_nodes(case.node.body)):
        if isinstance(node, ast.Call) and last_name(node.func) in ("patch", "object", "setattr"):
            yield node


def _configured_by_name(case: TestCase) -> set[ast.Call]:
    """Return the patches whose return value is set through their name in a with statement."""
    nodes = list(own_nodes(case.node.body))
    configured = {
        root_name(target)
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and ".return_value" in unparse(target)
    }
    return {
        node.context_expr
        for node in nodes
        if isinstance(node, ast.withitem)
        and isinstance(node.context_expr, ast.Call)
        and isinstance(node.optional_vars, ast.Name)
        and node.optional_vars.id in configured
    }


def _sets_return_value(call: ast.Call, rest: Sequence[ast.expr]) -> bool:
    """Return True if the replacement gets its return value in the call."""
    configured = [k.value for k in call.keywords if k.arg in ("return_value", "new")]
    values = [*configured, *rest[:1]]
    return any(map(_is_constant_lambda, values)) or any(not isinstance(one, ast.Name) for one in configured)


def _is_constant_lambda(node: ast.expr) -> bool:
    return isinstance(node, ast.Lambda) and not any(isinstance(n, ast.Call) for n in walk(node.body))


def _is_of_mock(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func).startswith("assert_")


def _binds(node: ast.Assign, name: str) -> bool:
    return [ast.dump(t) for t in node.targets] == [ast.dump(ast.Name(name, ast.Store()))]


def _is_use(call: ast.Call, mocks: set[str]) -> bool:
    """Return True if a call invokes a mock, not one of its inspection methods."""
    name = last_name(call.func)
    return root_name(call.func) in mocks and not name.startswith(
        ("assert_", "reset_mock", "configure_mock", "attach_")
    )


def _uses_only(statements: Sequence[ast.stmt], mocks: set[str]) -> bool:
    """Return True if the statements use only the mocks and their results."""
    known = set(mocks)
    for node in own_nodes(statements):
        if isinstance(node, (ast.With, ast.AsyncWith, ast.Await, *_DEFINITIONS)):
            return False
        if (
            isinstance(node, ast.Call)
            and last_name(node.func) not in (*_MOCKS, *_PLAIN)
            and root_name(node.func) not in known
        ):
            return False
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
    return True


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def _text_of(arguments: Sequence[ast.expr]) -> str:
    """Return the first argument if it is a string literal; empty otherwise."""
    value = arguments[0].value if arguments and isinstance(arguments[0], ast.Constant) else None
    return value if isinstance(value, str) else ""
