"""TE003."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround_tests.check import PythonTestCheck
from wardround_tests.module import TestCase, body_of, last_name, own_nodes

_MOCKS = frozenset({"Mock", "MagicMock", "AsyncMock", "NonCallableMock", "create_autospec"})
_MAKE = "from unittest.mock import Mock\ndef test_total():\n    shop = Mock()\n"


class SelfTestedMock(PythonTestCheck):
    """A test calls a mock itself and asserts what it told the mock to answer.

    Nothing of the project runs between the two, so only the mock library is tested. Hand the mock to the
    code that should use it and assert what that code does.
    """

    ID = "TE003"
    NAME = "mock-tests-itself"
    TRIED_ON = (
        "331,000 lines of tests of flask, httpx, urllib3, celery, pytest, aiohttp, pydantic: no hit, so "
        "nothing wrong and nothing proven."
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            f"{_MAKE}    shop.total.return_value = 3\n    assert Basket(shop).total() == 3\n",
            path="test_case.py",
        ),
        Valid(
            f"{_MAKE}    Basket(shop).pay()\n    shop.total.assert_called_once_with()\n", path="test_case.py"
        ),
        Valid(
            f"{_MAKE}    wrapped = trace(shop)\n    assert wrapped(1) is shop.return_value\n",
            path="test_case.py",
        ),
        Valid("def test_total(shop):\n    assert shop() == 3\n", path="test_case.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            f"{_MAKE}    shop.total.return_value = 3\n    assert shop.total() == 3\n",
            line=5,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            "from unittest import mock\ndef test_total():\n    shop = mock.MagicMock(return_value=3)\n"
            "    result = shop(1)\n    assert result == 3\n",
            line=4,
            column=14,
            path="test_case.py",
        ),
        Invalid(
            f"{_MAKE}    shop.total(1)\n    shop.total.assert_called_once_with(1)\n",
            line=4,
            column=5,
            path="test_case.py",
        ),
    ]

    def look_at(self, case: TestCase) -> None:
        if "Mock" not in self.module.text and "create_autospec" not in self.module.text:
            return
        statements = body_of(case.node)
        mocks = {name for statement in statements for name in _made_mock(statement)}
        if not mocks or not _uses_only(statements, mocks):
            return
        calls = [n for n in own_nodes(statements) if isinstance(n, ast.Call) and _is_use(n, mocks)]
        if calls:
            at = self._assertion_around(calls[0]) or calls[0]
            self.report(self.module.span(at), f'"{_root(calls[0].func)}" is a mock that only this test calls')

    def _assertion_around(self, call: ast.Call) -> ast.Assert | None:
        return next((p for p in self.module.ancestors(call) if isinstance(p, ast.Assert)), None)


def _made_mock(statement: ast.stmt) -> list[str]:
    """The names a statement binds to a new mock."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return []
    if last_name(statement.value.func) not in _MOCKS:
        return []
    return [target.id for target in statement.targets if isinstance(target, ast.Name)]


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_use(call: ast.Call, mocks: set[str]) -> bool:
    """Whether a call calls a mock, rather than asking it what was called."""
    name = last_name(call.func)
    return _root(call.func) in mocks and not name.startswith(
        ("assert_", "reset_mock", "configure_mock", "attach_")
    )


def _uses_only(statements: Sequence[ast.stmt], mocks: set[str]) -> bool:
    """Whether no statement calls or names anything but the mocks and what came from them."""
    known = set(mocks)
    for node in own_nodes(statements):
        if isinstance(node, (ast.With, ast.AsyncWith, ast.Await, *_DEFINITIONS)):
            return False
        if (
            isinstance(node, ast.Call)
            and last_name(node.func) not in _MOCKS
            and _root(node.func) not in known
        ):
            return False
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
    return True


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
