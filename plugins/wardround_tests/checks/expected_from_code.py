"""TE005."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.late import LatePattern
from wardround_tests.check import PythonTestCheck
from wardround_tests.module import TestCase, equal_sides, own_nodes

_ON_REPEATING = LatePattern(
    r"(?i)determin|same|idempot|cach|stable|repeat|eq|singleton|hash|memo|consist|reproduc|ident|random|unique|"
    r"twice|compar|order|seed|pure|shared|reuse|copy|is_|symmetr|commut|again|multiple|two_|both|intern|persist"
)
_START = "from shop import total\ndef test_total():\n"


class ExpectedFromCode(PythonTestCheck):
    """The expected value is computed by the call that is under test.

    Both sides go through the same code, so a mistake in it is on both sides and the test passes. Write the
    expected value down, or compute it in another way.
    """

    ID = "TE005"
    NAME = "expected-from-code-under-test"
    TRIED_ON = (
        "331,000 lines of tests of flask, httpx, urllib3, celery, pytest, aiohttp, pydantic: no hit "
        "once comparisons of constructed values are left alone."
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(f"{_START}    assert total([1, 2]) == 3\n", path="test_case.py"),
        Valid(f"{_START}    assert total([1, 2]) == total([2, 1])\n", path="test_case.py"),
        Valid("def test_is_cached():\n    assert load() == load()\n", path="test_case.py"),
        Valid(
            f"{_START}    before = total([])\n    run()\n    assert total([]) == before\n",
            path="test_case.py",
        ),
        Valid("def test_next(rows):\n    assert rows.pop() == rows.pop()\n", path="test_case.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            f"{_START}    assert total([1, 2]) == total([1, 2])\n", line=3, column=5, path="test_case.py"
        ),
        Invalid(
            f"{_START}    expected = total([1, 2])\n    assert total([1, 2]) == expected\n",
            line=4,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            "from shop import total\nclass TestTotal(TestCase):\n    def test_total(self):\n"
            "        self.assertEqual(total([1]), total([1]))\n",
            line=4,
            column=9,
            path="test_case.py",
        ),
        Invalid(
            f"{_START}    expected = total([1, 2])\n    result = total([1, 2])\n"
            "    assert result == expected\n",
            line=5,
            column=5,
            path="test_case.py",
        ),
    ]

    def look_at(self, case: TestCase) -> None:
        if _ON_REPEATING.search(f"{case.name} {case.cls.name if case.cls else ''}".removeprefix("test_")):
            return
        for node in own_nodes(case.node.body):
            sides = equal_sides(node)
            if sides is None or not isinstance(node, (ast.Assert, ast.Call)):
                continue
            left, right = (self._meant(side, node) for side in sides)
            if left is not None and right is not None and self._is_code_under_test(left, right):
                text = f"both sides are {ast.unparse(left)}; nothing says what it should give"
                self.report(self.module.span(node), text)

    def _meant(self, side: ast.expr, assertion: ast.AST) -> ast.Call | None:
        """The call a side of a comparison is, or was bound to right before the assertion."""
        if isinstance(side, ast.Call):
            return side
        if not isinstance(side, ast.Name):
            return None
        for statement in self._right_before(assertion):
            if isinstance(statement.targets[0], ast.Name) and statement.targets[0].id == side.id:
                return statement.value if isinstance(statement.value, ast.Call) else None
        return None

    def _right_before(self, assertion: ast.AST) -> list[ast.Assign]:
        """The assignments directly in front of a statement, nearest first."""
        statement = assertion
        while not isinstance(statement, ast.stmt):
            statement = self.module.parents[statement]
        body = getattr(self.module.parents[statement], "body", [])
        found: list[ast.Assign] = []
        for one in reversed(body[: body.index(statement)] if statement in body else []):
            if not isinstance(one, ast.Assign):
                break
            found.append(one)
        return found[:2]

    def _is_code_under_test(self, left: ast.Call, right: ast.Call) -> bool:
        """Whether two calls are the same and of imported code, all of whose arguments are plain values."""
        if left is right or ast.dump(left) != ast.dump(right):
            return False
        inner = [n for n in ast.walk(left) if isinstance(n, (ast.Call, ast.Await)) and n is not left]
        name = self.module.imported_name(left.func)
        return not inner and name is not None and not name.rpartition(".")[2][:1].isupper()
