from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import combinations

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import either_order, equality_operands, is_assertion, last_name

_ROUNDED = frozenset({"approx", "round", "Decimal", "Fraction", "isclose", "allclose", "fsum"})
_FLOAT = LazyPattern(r"\d\.\d")
_BITS = 20


class ExactFloatComparison(PythonTestCheck):
    """Floating-point arithmetic is compared exactly.

    0.1 + 0.2 is not 0.3 in binary, so the result of the test depends on the order of operations and the
    machine. Compare with pytest.approx or assertAlmostEqual, or use Decimal.
    """

    ID = "TE036"
    NAME = "exact-float-comparison"
    DEFECT_CLASS = "float-equality"
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            def test_total():
                assert total([0.1, 0.2]) == pytest.approx(0.3)
        """),
        code("""
            def test_total():
                assert total([0.5, 0.25]) == 0.75
        """),
    ]
    INVALID = [
        code("""
            def test_total():
                «assert total([0.1, 0.2]) == 0.3»
        """),
        code("""
            def test_total():
                «assert price(3) == 3 * 19.99»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return _FLOAT.search(source.text) is not None

    def check_test(self, case: TestCase) -> None:
        nodes = self.module.nodes_of(case)
        literals = [n for n in nodes if isinstance(n, ast.Constant) and _is_inexact(n)]
        if not literals:
            return
        inputs = [n.value for n in literals if self._is_argument(n)]
        for node in nodes:
            if isinstance(node, (ast.Assert, ast.Call)) and _compares_exactly(node, inputs):
                text = "exact comparison of floating-point arithmetic; use pytest.approx"
                self.report(self.module.span(node), text)
                return

    def _is_argument(self, literal: ast.Constant) -> bool:
        """Return True if a number is an argument of a call, not an expected value."""
        for parent in self.module.ancestors(literal):
            if isinstance(parent, ast.Call):
                return not is_assertion(parent)
            if isinstance(parent, ast.stmt):
                return isinstance(parent, ast.Assign)
        return False


def _compares_exactly(node: ast.AST, inputs: Sequence[object]) -> bool:
    """Return True if an assertion compares the result of inexact arithmetic with a number."""
    for side, other in either_order(equality_operands(node)):
        if _is_rounded(side) or _is_rounded(other):
            continue
        if _is_arithmetic(side) or (_is_inexact(side) and _is_sum(side, other, inputs)):
            return True
    return False


def _is_sum(side: ast.expr, other: ast.expr, inputs: Sequence[object]) -> bool:
    """Return True if an expected number is the sum or difference of two inputs and not an input."""
    if not isinstance(side, ast.Constant) or isinstance(other, ast.Constant) or side.value in inputs:
        return False
    numbers = [number for number in inputs if isinstance(number, float)]
    return any(side.value in (round(a + b, 9), round(a - b, 9)) for a, b in combinations(numbers, 2))


def _is_inexact(node: ast.AST) -> bool:
    """Return True if a node is a number without an exact binary representation."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, float) or abs(node.value) > 2**_BITS:
        return False
    return not (node.value * 2**_BITS).is_integer()


def _is_arithmetic(side: ast.expr) -> bool:
    """Return True if an operand is arithmetic with such a number."""
    return (
        isinstance(side, ast.BinOp)
        and isinstance(side.op, (ast.Add, ast.Sub, ast.Mult, ast.Div))
        and any(_is_inexact(n) for n in walk(side))
        and not any(isinstance(n, (ast.Call, ast.Name)) for n in walk(side))
    )


def _is_rounded(side: ast.expr) -> bool:
    return any(isinstance(n, ast.Call) and last_name(n.func) in _ROUNDED for n in walk(side))
