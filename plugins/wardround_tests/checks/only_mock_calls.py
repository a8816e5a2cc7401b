"""TE004."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.findings import Severity
from wardround_tests.check import PythonTestCheck
from wardround_tests.module import TestCase, own_nodes

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
        return any(
            word in source.text for word in ("assert_called", "assert_awaited", ".called", ".call_count")
        )

    def look_at(self, case: TestCase) -> None:
        made = [node for node in own_nodes(case.node.body) if self.module.asserts(node)]
        if made and all(_is_loose(node) for node in made):
            text = f'"{case.name}" asserts only that a mock was called, not with what'
            self.report(self.module.name_span(case.node), text)


def _is_loose(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        test = node.test
        if isinstance(test, ast.Compare) and isinstance(test.comparators[0], ast.Constant):
            test = test.left
        return isinstance(test, ast.Attribute) and test.attr in ("called", "call_count", "await_count")
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LOOSE
