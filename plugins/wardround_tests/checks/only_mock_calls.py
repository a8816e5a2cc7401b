"""TE004."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.findings import Severity
from wardround.python_tree import walk
from wardround_tests.check import PythonTestCheck
from wardround_tests.module import TestCase, last_name

_LOOSE = frozenset({"assert_called", "assert_called_once", "assert_awaited", "assert_awaited_once"})
_START = "from unittest import mock\ndef test_pay(mail):\n"


class OnlyMockCalls(PythonTestCheck):
    """All a test asserts is that a mock was called, not with what, nor what came of it.

    Wrong arguments and wrong results pass. Assert the arguments with assert_called_once_with, and the result
    of the call under test beside them.
    """

    ID = "TE004"
    NAME = "only-mock-calls-asserted"
    TRIED_ON = (
        "331,000 lines of tests of flask, httpx, urllib3, celery, pytest, aiohttp, pydantic: 52 hits, "
        "12 read: true, rarely worth a change: info."
    )
    SEVERITY = Severity.INFO
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(f"{_START}    pay(mail)\n    mail.send.assert_called_once_with('paid')\n", path="test_case.py"),
        Valid(
            f"{_START}    assert pay(mail) == 3\n    mail.send.assert_called_once()\n", path="test_case.py"
        ),
        Valid(f"{_START}    pay(mail)\n    mail.send.assert_not_called()\n", path="test_case.py"),
        Valid(
            f"{_START}    pay(mail)\n    mail.send.assert_called_once()\n"
            "    assert mail.send.call_args[0] == ('paid',)\n",
            path="test_case.py",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from unittest.mock import patch\nfrom shop import monthly\n@patch('shop.monthly.send')\n"
            "@patch('shop.monthly.render')\n@patch('shop.monthly.load')\n"
            "def test_run(load, render, send):\n    monthly.run(2)\n    load.assert_called_once_with(2)\n"
            "    render.assert_called_once_with(load.return_value)\n"
            "    send.assert_called_once_with(render.return_value)\n",
            line=6,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            f"{_START}    pay(mail)\n    assert mail.send.call_count == 1\n",
            line=2,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            f"{_START}    pay(mail)\n    mail.send.assert_called_once()\n",
            line=2,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            f"{_START}    pay(mail)\n    assert mail.send.called\n", line=2, column=5, path="test_case.py"
        ),
        Invalid(
            f"{_START}    pay(mail)\n    mail.send.assert_called()\n    mail.log.assert_called()\n",
            line=2,
            column=5,
            path="test_case.py",
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        words = ("assert_called", "assert_awaited", "assert_has_calls", ".called", ".call_count")
        return any(word in source.text for word in words)

    def look_at(self, case: TestCase) -> None:
        made = [node for node in self.module.own(case) if self.module.asserts(node)]
        if made and all(_is_loose(node) for node in made):
            text = f'"{case.name}" asserts only that a mock was called, not with what'
            self.report(self.module.name_span(case.node), text)
        elif made and all(_is_of_mock(node) for node in made):
            self._look_at_replaced(case, made)

    def _look_at_replaced(self, case: TestCase, made: Sequence[ast.AST]) -> None:
        """Report a test that replaces all steps of a function, and asserts what it hands on."""
        patched: dict[str, int] = {}
        for one in (
            *case.node.decorator_list,
            *(n for n in self.module.own(case) if isinstance(n, ast.Call)),
        ):
            home = self._patched(one)
            if home:
                patched[home] = patched.get(home, 0) + 1
        called = {self.module.imported_name(n.func) for n in self.module.own(case) if isinstance(n, ast.Call)}
        for home, count in patched.items():
            is_asked = any(name and name.rpartition(".")[0] == home for name in called)
            if count >= _STEPS and is_asked and any(_hands_on(node) for node in made):
                text = f'"{case.name}" replaces all that {home} does and asserts only how that was called'
                self.report(self.module.name_span(case.node), text)
                return

    def _patched(self, node: ast.expr) -> str:
        """The module of which a decorator or call replaces a function."""
        if not isinstance(node, ast.Call) or not node.args:
            return ""
        target = node.args[0]
        if (
            last_name(node.func) == "patch"
            and isinstance(target, ast.Constant)
            and isinstance(target.value, str)
        ):
            return target.value.rpartition(".")[0]
        return self.module.imported_name(target) or "" if last_name(node.func) == "object" else ""


_STEPS = 3
"""So many replaced functions of one module leave nothing of the one that calls them."""


def _is_of_mock(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node).startswith(
        ("assert_called", "assert_awaited", "assert_has")
    )


def _hands_on(node: ast.AST) -> bool:
    """Whether an assertion expects that a mock got what another one gave."""
    return isinstance(node, ast.Call) and any(
        isinstance(n, ast.Attribute) and n.attr == "return_value" for a in node.args for n in walk(a)
    )


def _is_loose(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        test = node.test
        if isinstance(test, ast.Compare) and isinstance(test.comparators[0], ast.Constant):
            test = test.left
        return isinstance(test, ast.Attribute) and test.attr in ("called", "call_count", "await_count")
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LOOSE
