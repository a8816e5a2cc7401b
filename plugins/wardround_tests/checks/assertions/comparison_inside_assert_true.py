from __future__ import annotations

import ast
from typing import ClassVar

from wardround.findings import Severity
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase

_INSTEAD: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("assertEqual", "assertNotEqual"),
    ast.NotEq: ("assertNotEqual", "assertEqual"),
    ast.In: ("assertIn", "assertNotIn"),
    ast.NotIn: ("assertNotIn", "assertIn"),
    ast.Is: ("assertIs", "assertIsNot"),
    ast.IsNot: ("assertIsNot", "assertIs"),
    ast.Lt: ("assertLess", "assertGreaterEqual"),
    ast.LtE: ("assertLessEqual", "assertGreater"),
    ast.Gt: ("assertGreater", "assertLessEqual"),
    ast.GtE: ("assertGreaterEqual", "assertLess"),
}
_ON_OPERATORS = LazyPattern(
    r"(?i)(^|_)(eq|in|is|lt|gt|le|ge|ne|contains?)$|compar|operator|hash|order|equal|ident|member|dunder|__"
)


class ComparisonInsideAssertTrue(PythonTestCheck):
    """A comparison is inside assertTrue or assertFalse, so a failure shows only "False is not true".

    The assertion for the comparison prints both operands, which makes a failure in CI understandable. Use
    that assertion.
    """

    ID = "TE030"
    NAME = "comparison-inside-assert-true"
    DEFECT_CLASS = "suboptimal-assert"
    SEVERITY = Severity.INFO
    WORDS: ClassVar[tuple[str, ...]] = ("assertTrue", "assertFalse", "assert_(")
    VALID = [
        code("""
            class TagTest(TestCase):
                def test_parse(self):
                    self.assertEqual(tags('a'), ['a'])
        """),
        code("""
            class TagTest(TestCase):
                def test_parse(self):
                    self.assertTrue(tags('a'))
        """),
    ]
    INVALID = [
        code("""
            class TagTest(TestCase):
                def test_parse(self):
                    «self.assertTrue(tags('a') == ['a'])»
        """),
        code("""
            class TagTest(TestCase):
                def test_parse(self):
                    «self.assertFalse('b' in tags('a'))»
        """),
    ]

    def check_test(self, case: TestCase) -> None:
        if _ON_OPERATORS.search(case.name):
            return
        for node in self.module.nodes_of(case):
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords:
                specific = _specific_assertion(call)
                if specific:
                    text = f"use {specific}: its failure message shows both operands"
                    self.report(self.module.span(call), text)


def _specific_assertion(call: ast.Call) -> str:
    """Return the assertion method for a comparison; empty if there is none."""
    function, argument = call.func, call.args[0]
    if not isinstance(function, ast.Attribute) or unparse(function.value) != "self":
        return ""
    if function.attr not in ("assertTrue", "assertFalse", "assert_"):
        return ""
    is_true = function.attr != "assertFalse"
    if isinstance(argument, ast.Compare) and len(argument.ops) == 1:
        return _comparing_method(argument, is_true)
    if isinstance(argument, ast.Call) and unparse(argument.func) == "isinstance":
        return "assertIsInstance" if is_true else "assertNotIsInstance"
    return ""


def _comparing_method(test: ast.Compare, is_true: bool) -> str:
    name = _INSTEAD[type(test.ops[0])][0 if is_true else 1]
    right = test.comparators[0]
    is_none = isinstance(right, ast.Constant) and right.value is None
    return f"{name}None" if is_none and name in ("assertIs", "assertIsNot") else name
