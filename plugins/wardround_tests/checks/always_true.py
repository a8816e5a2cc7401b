"""TE002."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.late import LatePattern
from wardround_tests.check import PythonTestCheck
from wardround_tests.module import TestCase, last_name, own_nodes

_ON_EQUALITY = LatePattern(
    r"(?i)(^|_)(eq|ne|cmp|nan|is)(_|$)|equal|same|ident|hash|compar|reflex|order|singleton|cache|intern|__eq__"
)
_COMPARING = frozenset(
    {
        "assertEqual",
        "assertEquals",
        "assertIs",
        "assertListEqual",
        "assertDictEqual",
        "assertAlmostEqual",
        "assertGreaterEqual",
        "assertLessEqual",
    }
)
_SUM = "def test_sum():\n"
_UNIT = "class TestSum(TestCase):\n    def test_sum(self):\n"


class AlwaysTrue(PythonTestCheck):
    """An assertion is true whatever the code does.

    It compares a thing with itself, asserts a constant, or asks something that holds for every value. The
    test looks covered and cannot fail. Compare the result with the value it should have.
    """

    ID = "TE002"
    NAME = "always-true-assertion"
    TRIED_ON = (
        "331,000 lines of tests of flask, httpx, urllib3, celery, pytest, aiohttp, pydantic: 2 hits, "
        "both right; 8 comparisons on purpose led to the exceptions."
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(f"{_SUM}    assert add(1, 2) == 3\n", path="test_case.py"),
        Valid("def test_equality():\n    a = Money(1)\n    assert a == a\n", path="test_case.py"),
        Valid(f"{_SUM}    assert len(items) >= 1\n", path="test_case.py"),
        Valid(f"{_SUM}    assert isinstance(add(1, 2), int)\n", path="test_case.py"),
        Valid(f"{_UNIT}        self.assertTrue(add(1, 2), 'adds')\n", path="test_case.py"),
        Valid(f"{_UNIT}        self.assertTrue(ok, msg)\n", path="test_case.py"),
        Valid(f"{_SUM}    assert next(numbers) == next(numbers)\n", path="test_case.py"),
        Valid("def add(a, b):\n    assert True\n", path="src/case.py"),
        Valid(
            f"{_SUM}    try:\n        add(1, 'a')\n    except TypeError:\n        assert True\n"
            "    else:\n        assert False\n",
            path="test_case.py",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(f"{_SUM}    add(1, 2)\n    assert True\n", line=3, column=5, path="test_case.py"),
        Invalid(
            f"{_SUM}    total = add(1, 2)\n    assert total == total\n", line=3, column=5, path="test_case.py"
        ),
        Invalid(f"{_SUM}    assert len(add([1], [2])) >= 0\n", line=2, column=5, path="test_case.py"),
        Invalid(f"{_SUM}    assert isinstance(add(1, 2), object)\n", line=2, column=5, path="test_case.py"),
        Invalid(f"{_SUM}    assert add(1, 2) == 3 or True\n", line=2, column=5, path="test_case.py"),
        Invalid(f"{_UNIT}        self.assertTrue(1)\n", line=3, column=9, path="test_case.py"),
        Invalid(
            f"{_UNIT}        self.assertEqual(total.sum, total.sum)\n", line=3, column=9, path="test_case.py"
        ),
        Invalid(f"{_UNIT}        self.assertTrue(add(1, 2), 3)\n", line=3, column=9, path="test_case.py"),
    ]

    def look_at(self, case: TestCase) -> None:
        about_equality = _is_about_equality(case, self.module.text_of(case.node))
        for node in own_nodes(case.node.body):
            reason = None
            if isinstance(node, ast.Assert):
                reason = _why_true(node.test, about_equality)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                reason = _why_method_passes(node, node.func.attr, about_equality)
            if reason and isinstance(node, (ast.Assert, ast.Call)) and not self._marks_a_branch(node):
                self.report(self.module.span(node), f"this assertion cannot fail: {reason}")

    def _marks_a_branch(self, node: ast.Assert | ast.Call) -> bool:
        """Whether ``assert True`` only says which way is the good one, and another way fails."""
        return any(
            isinstance(parent, (ast.ExceptHandler, ast.If, ast.For)) for parent in self.module.ancestors(node)
        )


def _why_true(test: ast.expr, about_equality: bool) -> str | None:
    """Why an asserted expression is true whatever happens; None if it can be false."""
    if isinstance(test, ast.Constant) and test.value and not isinstance(test.value, str):
        return f"{test.value!r} is always true"
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        always = [one for one in test.values if isinstance(one, ast.Constant) and one.value]
        return f"{ast.unparse(always[0])} is always true" if always else None
    if isinstance(test, ast.Call) and last_name(test.func) == "isinstance" and len(test.args) == 2:
        return "everything is an object" if last_name(test.args[1]) == "object" else None
    if isinstance(test, ast.Lambda):
        return "a function is always true"
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _why_compares(test.left, test.ops[0], test.comparators[0], about_equality)
    return None


def _why_compares(left: ast.expr, how: ast.cmpop, right: ast.expr, about_equality: bool) -> str | None:
    is_length = isinstance(left, ast.Call) and last_name(left.func) == "len"
    if is_length and isinstance(how, ast.GtE) and isinstance(right, ast.Constant) and right.value == 0:
        return "a length is never below 0"
    if isinstance(how, (ast.Eq, ast.Is, ast.LtE, ast.GtE)) and _are_same(left, right, about_equality):
        return "both sides are the same expression"
    return None


def _are_same(left: ast.expr, right: ast.expr, about_equality: bool) -> bool:
    """Whether two expressions are the same and no call in them can answer differently."""
    if ast.dump(left) != ast.dump(right) or (about_equality and not isinstance(left, ast.Constant)):
        return False
    return not any(isinstance(node, (ast.Call, ast.Await, ast.Yield)) for node in ast.walk(left))


def _is_about_equality(case: TestCase, text: str) -> bool:
    """Whether a test compares things with themselves on purpose: it says so, or does it more than once."""
    if _ON_EQUALITY.search(case.name.removeprefix("test_")) or re.search(r"(?i)#[^\n]*equal|__eq__|!=", text):
        return True
    compared = [n for n in own_nodes(case.node.body) if isinstance(n, ast.Compare) and len(n.ops) == 1]
    return sum(ast.dump(n.left) == ast.dump(n.comparators[0]) for n in compared) > 1


def _why_method_passes(call: ast.Call, name: str, about_equality: bool) -> str | None:
    """The same for the assertions of unittest."""
    arguments = call.args
    if name == "assertTrue" and len(arguments) == 2 and _is_no_message(arguments[1]):
        return "the second argument of assertTrue is a message; assertEqual compares"
    if name == "assertTrue" and arguments and isinstance(arguments[0], ast.Constant) and arguments[0].value:
        return f"{arguments[0].value!r} is always true"
    if name in _COMPARING and len(arguments) >= 2 and _are_same(arguments[0], arguments[1], about_equality):
        return "both sides are the same expression"
    return None


def _is_no_message(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, str)
    return isinstance(node, (ast.List, ast.Dict, ast.Tuple, ast.Set))
