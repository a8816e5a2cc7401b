"""TE005: expected values that the code under test computes."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.python.module import is_test_path
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_tests.analysis.comparison_operands import compared_operands, original
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import either_order, last_name

_ON_REPEATING = LazyPattern(
    r"(?i)determin|same|idempot|cach|stable|repeat|eq|singleton|hash|memo|consist|reproduc|ident|random|unique|"
    r"twice|compar|order|seed|pure|shared|reuse|copy|is_|symmetr|commut|again|multiple|two_|both|intern|persist"
)
_ON_LAWS = LazyPattern(
    r"(?i)determin|same|idempot|cach|stable|repeat|singleton|hash|memo|consist|reproduc|ident|random|unique|"
    r"twice|order|seed|pure|shared|reuse|copy|symmetr|commut|again|multiple|intern|persist|equal|both"
)
"""Subjects of tests that have to repeat a call, and may name the first result as expected."""
_ON_RELATIONS = LazyPattern(
    r"(?i)relat|compos|split|sum_of|additiv|linear|distribut|associat|invert|inverse|round_?trip|agree|match|"
    r"differ|offset|shift|between|boundar|after|before|plus|minus"
)
_EXPECTED = LazyPattern(
    r"^(exp|expected|want|wanted|should_be|desired|correct|reference)(_|$)|_(expected|want)$"
)
_LIBRARIES = frozenset(
    {"packaging", "pytest", "numpy", "np", "pandas", "torch", "django", "freezegun", "dateutil", "pytz"}
)
_OF_NAMEDTUPLES = frozenset({"_replace", "_asdict", "_make"})
_Bound = dict[str, list[ast.expr]]
_DEEP = 8
"""Maximum number of names that are resolved to their values."""


class ExpectedFromCodeUnderTest(PythonTestCheck):
    """The expected value is computed by the call under test.

    Both operands are results of the same code, so a mistake affects both and the test passes. Write the
    expected value as a literal, or compute it independently.
    """

    ID = "TE005"
    NAME = "expected-from-code-under-test"
    MATURITY = Maturity.PREVIEW
    VALID = [
        code("""
            from shop import total
            def test_total():
                assert total([1, 2]) == 3
        """),
        code("""
            from shop import total
            def test_total():
                assert total([1, 2]) == total([2, 1])
        """),
    ]
    INVALID = [
        code("""
            from shop import Bill
            def test_sum():
                bill = Bill(3)
                tax = «bill._tax(3)»
                assert bill.sum == 3 + tax
        """),
        code("""
            from shop import total
            ROWS = [[1], [1, 2]]
            «SUMS = {len(r): total(r) for r in ROWS}»
            def test_total():
                for row in ROWS:
                    assert total(row) == SUMS[len(row)]
        """),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        """Report tables of expected values that the code under test fills when the module is imported."""
        for statement in node.body:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                continue
            filling = {name for call in _calls(statement.value) if (name := self._project_function(call))}
            table = statement.targets[0].id
            if filling and any(self._compares_with(case, table, filling) for case in self.module.tests):
                text = f"{min(filling)}() is the code under test; expect a literal"
                self.report(self.module.span(statement), text)

    def _project_function(self, call: ast.Call) -> str:
        """Return the full name of the project function that a call calls; empty for a class."""
        name = self.module.imported_name(call.func) or ""
        is_function = not name.rpartition(".")[2][:1].isupper()
        return name if name and is_function and not self._is_foreign(call) else ""

    def _compares_with(self, case: TestCase, table: str, filling: set[str]) -> bool:
        """Return True if a test compares a function's result with a table that the function filled."""
        if _ON_REPEATING.search(case.name.removeprefix("test_")):
            return False
        nodes = list(self.module.nodes_of(case))
        bound = _bound_in(nodes)
        for node in nodes:
            for side, other in either_order(compared_operands(node)):
                root = side
                while isinstance(root, (ast.Attribute, ast.Subscript)):
                    root = root.value
                is_table = isinstance(root, ast.Name) and root.id == table
                called = {
                    self._project_function(call) for value in _values(other, bound) for call in _calls(value)
                }
                if is_table and called & filling:
                    return True
        return False

    def _check_parameters(self, case: TestCase, nodes: Sequence[ast.AST], bound: _Bound) -> None:
        """Report parameter sets whose expected value is computed by the code under test."""
        called = self._compared_with_parameters(case, nodes, bound)
        decorators = [one for one in case.node.decorator_list if last_name(one) == "parametrize"]
        for call in (call for one in decorators if isinstance(one, ast.Call) for call in _calls(one)):
            if self._project_function(call) in called:
                text = f"{unparse(call.func)}() is the code under test; expect a literal"
                self.report(self.module.span(call), text)
                return

    def _compared_with_parameters(self, case: TestCase, nodes: Sequence[ast.AST], bound: _Bound) -> set[str]:
        """Return the project functions whose results a test compares with its parameters."""
        operands = (pair for node in nodes for pair in either_order(compared_operands(node)))
        others = [o for side, o in operands if isinstance(side, ast.Name) and side.id in case.parameters]
        calls = (call for other in others for value in _values(other, bound) for call in _calls(value))
        return set(map(self._project_function, calls)) - {""}

    def check_test(self, case: TestCase) -> None:
        title = f"{case.name} {case.cls.name if case.cls else ''}".removeprefix("test_")
        is_on_repeating = _ON_REPEATING.search(title) is not None
        if is_on_repeating and _ON_LAWS.search(title):
            return
        nodes = list(self.module.nodes_of(case))
        bound = _bound_in(nodes)
        if not is_on_repeating:
            self._check_parameters(case, nodes, bound)
        for node in nodes:
            is_asserting = isinstance(node, (ast.Assert, ast.Call))
            operands = compared_operands(node) if is_asserting else None
            if operands is None or not isinstance(node, (ast.Assert, ast.Call)):
                continue
            self._check_expected(operands, bound)
            if not is_on_repeating:
                self._check_formula(operands, bound, title)
                self._check_same_call(node, operands)

    def _check_same_call(self, assertion: ast.Assert | ast.Call, operands: tuple[ast.expr, ast.expr]) -> None:
        """Report an assertion with the same call as both operands."""
        left, right = (self._resolved_call(side, assertion) for side in operands)
        if left is None or right is None or any(_names_expected(side) for side in operands):
            return
        if self._is_code_under_test(left, right):
            text = f"both operands are {unparse(left)}; compare with the expected value"
            self.report(self.module.span(assertion), text)

    def _check_formula(self, operands: tuple[ast.expr, ast.expr], bound: _Bound, title: str) -> None:
        """Report a formula for the expected value that calls another function of the module under test."""
        if _ON_RELATIONS.search(title):
            return
        for side, other in either_order(operands):
            actual = self._project_function(other) if isinstance(other, ast.Call) else ""
            if not actual or isinstance(side, ast.Call):
                continue
            found = self._called_in_formula(side, actual, bound)
            if found is not None and not self._is_reported(found):
                text = f"{unparse(found.func)}() belongs to the module under test; expect a literal"
                self.report(self.module.span(found), text, severity=Severity.INFO)
                return

    def _called_in_formula(self, side: ast.expr, actual: str, bound: _Bound) -> ast.Call | None:
        """Return the call of another function of a function's module in the first formula of an operand."""
        home = actual.rpartition(".")[0]
        formula = next((value for value in _values(side, bound) if isinstance(value, ast.BinOp)), None)
        if formula is None or not home:
            return None
        named = ((call, self._project_function(call)) for call in _calls(formula))
        return next((c for c, name in named if name.rpartition(".")[0] == home and name != actual), None)

    def _check_expected(self, operands: tuple[ast.expr, ast.expr], bound: _Bound) -> None:
        """Report an expected value that is computed by the code of the other operand."""
        for side, other in either_order(operands):
            found = self._derived_from_result(side, other, bound) or _private_part(side, other, bound)
            if found is None and (_names_expected(side) or isinstance(side, ast.Call)):
                found = self._computed_by_code(side, other, bound)
            if found is not None and not self._is_reported(found):
                text = f"{unparse(found.func)}() is the code under test; expect a literal"
                self.report(self.module.span(found), text)
                return

    def _computed_by_code(self, side: ast.expr, other: ast.expr, bound: _Bound) -> ast.Call | None:
        """Return the call that both operands make, or a private one of the other operand's object."""
        actual = _calls_of(other, bound)
        if not actual or any(_private_root(call) for call in actual):
            return None
        expected = _calls_of(side, bound)
        if not {id(call) for call in actual}.isdisjoint(map(id, expected)):
            return None
        roots = set(filter(None, map(_public_root, actual)))
        private = next((call for call in expected if _private_root(call) in roots), None)
        if private is not None or not _names_expected(side):
            return private
        actual_keys = {self._call_key(call) for call in actual} - {None}
        return next((call for call in expected if self._call_key(call) in actual_keys), None)

    def _is_reported(self, call: ast.Call) -> bool:
        return any(one.span == self.module.span(call) for one in self.results)

    def _call_key(self, call: ast.Call) -> str | None:
        """Return a key of a call of imported code or a method that is equal for equal arguments."""
        name = last_name(call.func)
        if name[:1].isupper() or not (call.args or call.keywords):
            return None
        is_ours = self.module.imported_name(call.func) or isinstance(call.func, ast.Attribute)
        if not is_ours or self._is_foreign(call):
            return None
        arguments = [ast.dump(original(a)) for a in call.args]
        return f"{ast.dump(call.func)}{arguments}{[ast.dump(k) for k in call.keywords]}"

    def _is_foreign(self, call: ast.Call) -> bool:
        """Return True if a call belongs to the standard library or another distribution."""
        root: ast.expr = call
        while isinstance(root, (ast.Call, ast.Attribute)):
            root = root.func if isinstance(root, ast.Call) else root.value
        name = self._package_of(root)
        return name in sys.stdlib_module_names or name in _LIBRARIES or self._is_installed(name)

    def _package_of(self, root: ast.expr) -> str:
        """Return the top-level package that a name is imported from, also by ``pytest.importorskip``."""
        values = self.module.assigned.get(root.id, []) if isinstance(root, ast.Name) else []
        skipping = (
            v for v in values if isinstance(v, ast.Call) and last_name(v) == "importorskip" and v.args
        )
        named = (v.args[0].value for v in skipping if isinstance(v.args[0], ast.Constant))
        dotted = next(map(str, named), None) or self.module.imported_name(root) or ""
        return dotted.partition(".")[0]

    def _is_installed(self, name: str) -> bool:
        """Return True if the repository has source files, and none of them is of an imported package."""
        if not name or not self._own_names:
            return False
        return name not in self._own_names

    @cached_property
    def _own_names(self) -> frozenset[str]:
        """The folders and modules of the repository that code outside of the tests is in."""
        paths = [PurePosixPath(path) for path in self.source.project.paths(["*.py"])]
        code = [path for path in paths if not is_test_path(str(path))]
        return frozenset(part.removesuffix(".py") for path in (paths if code else ()) for part in path.parts)

    def _derived_from_result(self, value: ast.expr, other: ast.expr, bound: _Bound) -> ast.Call | None:
        """Return the call that derives one part of a result from another, in the same module."""
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
            return None
        if not isinstance(other, ast.Attribute) or not isinstance(other.value, ast.Name):
            return None
        result = other.value.id
        if value.func.id[:1].isupper() or not _reads_attribute_of(value, result):
            return None
        return value if self._are_siblings(value.func, bound.get(result, [])) else None

    def _are_siblings(self, function: ast.Name, origins: Sequence[ast.expr]) -> bool:
        """Return True if the only origin of a value is another function of the same module."""
        origin = origins[0] if len(origins) == 1 else None
        if not isinstance(origin, ast.Call) or not isinstance(origin.func, ast.Name):
            return False
        here, there = (self.module.imported_name(f) or "" for f in (function, origin.func))
        return "." in here and here != there and here.rpartition(".")[0] == there.rpartition(".")[0]

    def _resolved_call(self, side: ast.expr, assertion: ast.AST) -> ast.Call | None:
        """Return the call that an operand is, or was bound to directly before the assertion."""
        if isinstance(side, ast.Call):
            return side
        if not isinstance(side, ast.Name):
            return None
        for statement in self._right_before(assertion):
            if isinstance(statement.targets[0], ast.Name) and statement.targets[0].id == side.id:
                return statement.value if isinstance(statement.value, ast.Call) else None
        return None

    def _right_before(self, assertion: ast.AST) -> list[ast.Assign]:
        """Return the assignments directly before a statement, nearest first."""
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
        """Return True if two calls are the same call of imported code with plain arguments only."""
        if left is right or ast.dump(left) != ast.dump(right):
            return False
        inner = [n for n in walk(left) if isinstance(n, (ast.Call, ast.Await)) and n is not left]
        name = self.module.imported_name(left.func)
        return not inner and name is not None and not name.rpartition(".")[2][:1].isupper()


def _bound_in(nodes: Sequence[ast.AST]) -> _Bound:
    """Return the values that a test binds to each of its names."""
    bound: _Bound = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            bound.setdefault(node.targets[0].id, []).append(node.value)
    return bound


def _names_expected(side: ast.expr) -> bool:
    while isinstance(side, (ast.Attribute, ast.Subscript)):
        side = side.value
    return isinstance(side, ast.Name) and _EXPECTED.search(side.id) is not None


def _calls(value: ast.expr) -> Iterator[ast.Call]:
    return (node for node in walk(value) if isinstance(node, ast.Call))


def _values(side: ast.expr, bound: _Bound) -> Iterator[ast.expr]:
    """Yield an operand, the values bound to its name, and the values these are made of."""
    seen: set[str] = set()
    stack = [side]
    while stack:
        value = stack.pop()
        yield value
        for node in walk(value):
            if isinstance(node, ast.Name) and node.id not in seen and len(seen) < _DEEP:
                seen.add(node.id)
                stack += bound[node.id] if len(bound.get(node.id, ())) == 1 else []


def _private_part(side: ast.expr, other: ast.expr, bound: _Bound) -> ast.Call | None:
    """Return the private method that computes the expected value of another attribute of its object."""
    if not isinstance(other, ast.Attribute) or not isinstance(other.value, ast.Name) or other.attr[:1] == "_":
        return None
    if not isinstance(side, (ast.BinOp, ast.JoinedStr)):
        return None  # the private method may be under test
    calls = (call for value in _values(side, bound) for call in _calls(value))
    return next(
        (c for c in calls if _private_root(c) == other.value.id and last_name(c) not in _OF_NAMEDTUPLES), None
    )


def _public_root(call: ast.Call) -> str:
    """Return the variable whose public method is called."""
    return "" if _private_root(call) else _root_of(call)


def _private_root(call: ast.Call) -> str:
    """Return the variable whose private method is called; empty for those of the test itself."""
    function = call.func
    is_private = isinstance(function, ast.Attribute) and re.match(r"_(?!_)", function.attr)
    return _root_of(call) if is_private else ""


def _root_of(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        return call.func.value.id if call.func.value.id not in ("self", "cls") else ""
    return ""


def _calls_of(side: ast.expr, bound: _Bound) -> list[ast.Call]:
    """Return the calls in an operand and in the values it is made of."""
    return [call for value in _values(side, bound) for call in _calls(value)]


def _reads_attribute_of(call: ast.Call, name: str) -> bool:
    """Return True if the arguments of a call read an attribute of a variable."""
    attributes = (n.value for a in call.args for n in walk(a) if isinstance(n, ast.Attribute))
    return any(isinstance(owner, ast.Name) and owner.id == name for owner in attributes)
