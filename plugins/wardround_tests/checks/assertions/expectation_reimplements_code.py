"""TE024: expected values computed with the formula of the code under test."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import either_order, equality_operands, last_name

_EXPECTED = LazyPattern(r"(?i)^(exp|expected|want|wanted|should_be|desired|correct)(_|$)|_(expected|want)$")
_STRONG = (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_NEAR = frozenset({"assertAlmostEqual", "assertAlmostEquals"})
_ON_LAWS = LazyPattern(
    r"(?i)invert|inverse|round_?trip|symmetr|commut|associat|linear|scal|identity|ratio|proportion|relat|"
    r"consist|(^|_)(shape|size|length|count|len)(_|$)|dtype|grad|numer|broadcast|matmul"
)
_FEWEST = 2
"""Minimum number of operators of a formula; fewer document how a number was derived."""


class ExpectationReimplementsCode(PythonTestCheck):
    """The expected value is computed from the test's inputs with the formula of the code under test.

    A copied formula copies its mistakes, so the test only confirms that the code does what it does. Write the
    expected results as literals, computed by hand for a few inputs.
    """

    ID = "TE024"
    NAME = "expectation-reimplements-code"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "expected-from-code-under-test"
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            import pytest
            from shop import RATES, fee
            def test_fee():
                expected = 2 * 60 * 60
                assert fee(7200) == expected
        """),
        code("""
            import pytest
            from shop import RATES, fee
            @pytest.mark.parametrize('km, expected', [(1, 2)])
            def test_fee(km, expected):
                assert fee(km) == expected
        """),
    ]
    INVALID = [
        code("""
            import pytest
            from shop import RATES, fee
            @pytest.mark.parametrize('km, kind', [(1, 'car')])
            def test_fee(km, kind):
                «expected = round(km * RATES[kind] * 1.21, 2)»
                assert fee(km, kind) == expected
        """),
        code("""
            import pytest
            from shop import RATES, fee
            class FeeTest(TestCase):
                def test_fee(self):
                    trip = Trip(km=3)
                    «expected = trip.km * RATES['car']»
                    self.assertAlmostEqual(fee(trip), expected)
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return _WRITTEN.search(source.text) is not None

    def check_test(self, case: TestCase) -> None:
        if _ON_LAWS.search(case.name):
            return
        nodes = list(self.module.nodes_of(case))
        bound = {
            n.targets[0].id: n
            for n in nodes
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
        }
        for expected, actual in (pair for node in nodes for pair in either_order(_sides(node))):
            if not isinstance(expected, ast.Name) or expected.id not in bound:
                continue
            is_bound = isinstance(actual, ast.Name) and actual.id in bound
            value = bound[unparse(actual)].value if is_bound else actual
            formula = bound[expected.id]
            if _EXPECTED.search(expected.id) and self._repeats(formula.value, value):
                text = "expected value repeats the formula under test; use a literal"
                self.report(self.module.span(formula), text)
                return

    def _repeats(self, expected: ast.expr, actual: ast.expr) -> bool:
        """Return True if an expected value is a formula over the arguments of the code under test."""
        calls = [n for n in walk(actual) if isinstance(n, ast.Call)]
        under_test = next((c for c in calls if self.module.imported_name(c.func)), None)
        name = self.module.imported_name(under_test.func) if under_test is not None else None
        if under_test is None or name is None or "." not in name or not _is_formula(expected):
            return False
        home = name.rpartition(".")[0]
        names = set(_names_in(expected))
        own = {n for n in names if self.module.imported.get(n, "").rpartition(".")[0] == home}
        if any(isinstance(n, ast.Call) and last_name(n) in own for n in walk(expected)):
            return False
        arguments = {name for a in under_test.args for name in _names_in(a)}
        return bool(names & arguments) and (len(_operators(expected)) >= _FEWEST or bool(own))


_WRITTEN = LazyPattern(r"(?i)(exp|expected|want|wanted|should_be|desired|correct)\w* = [^\n]*[*/%(]")


def _sides(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    if isinstance(node, ast.Call) and last_name(node) in _NEAR and len(node.args) > 1:
        return node.args[0], node.args[1]
    operands = equality_operands(node)
    if operands is None:
        return None
    left, right = (_exact(side) for side in operands)
    return left, right


def _exact(side: ast.expr) -> ast.expr:
    """Return the operand of ``approx(...)``, or the operand itself."""
    is_near = isinstance(side, ast.Call) and last_name(side) == "approx" and side.args
    return side.args[0] if is_near else side  # type: ignore[attr-defined]


def _has_text(node: ast.expr) -> bool:
    """Return True if strings are concatenated instead of numbers computed."""
    return any(
        isinstance(n, ast.JoinedStr) or (isinstance(n, ast.BinOp) and _is_text(n.left)) for n in walk(node)
    )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) or (
        isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
    )


def _names_in(node: ast.expr) -> Iterator[str]:
    return (n.id for n in walk(node) if isinstance(n, ast.Name))


def _operators(node: ast.expr) -> list[ast.operator]:
    return [n.op for n in walk(node) if isinstance(n, ast.BinOp)]


def _is_formula(node: ast.expr) -> bool:
    return any(isinstance(one, _STRONG) for one in _operators(node)) and not _has_text(node)
