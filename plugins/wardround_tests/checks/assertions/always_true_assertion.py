"""TE002: assertions that cannot fail."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.storage.regex_cache import bounded
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS, equality_operands, last_name, own_nodes

_ON_EQUALITY = LazyPattern(
    r"(?i)(^|_)(eq|ne|cmp|nan)(_|$)|^is_|_is(_not)?$|itself|equal|same|ident|hash|compar|reflex|order|singleton|cache|intern|__eq__"
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
_MOCK_ATTRIBUTES = frozenset(
    {
        "called", "call_count", "call_args", "call_args_list", "mock_calls", "method_calls", "await_count",
        "await_args", "await_args_list", "awaited",
    }
)  # fmt: skip
"""Attributes by which a mock reports its calls."""
_MAY_MOCK = LazyPattern("Mock|patch")
_MISSPELT = LazyPattern(r"called_|has_calls?$|not_called|awaited_|any_call$")
"""Names that resemble an assertion of a mock but, without ``assert_``, are calls of the mock."""
Intended = Callable[[ast.expr], bool]
"""Predicate: the test compares an expression with itself on purpose."""


class AlwaysTrueAssertion(PythonTestCheck):
    """An assertion is always true.

    It compares an expression with itself, asserts a constant, or asserts something that holds for every
    value. The test appears to cover the code but cannot fail. Compare the result with the expected value.
    """

    ID = "TE002"
    NAME = "always-true-assertion"
    VALID = [
        code("""
            def test_sum():
                assert add(1, 2) == 3
        """),
        code("""
            def test_equality():
                a = Money(1)
                assert a == a
        """),
    ]
    INVALID = [
        code("""
            def test_sum():
                base = load()
                original = base
                add(base, 2)
                «assert base == original»
        """),
        code("""
            class TestSum(TestCase):
                def test_sum(self):
                    hits = find('a')
                    «self.assertTrue(hits == [] or hits is not None)»
        """),
    ]

    def check_test(self, case: TestCase) -> None:
        nodes = list(self.module.nodes_of(case))
        about_equality = _is_about_equality(case, self.module.text_of(case.node))
        results = _results(nodes)

        def is_intended(one: ast.expr) -> bool:
            return about_equality and not (isinstance(one, ast.Name) and one.id in results)

        mocks = self._mocks(case)
        for node in nodes:
            if not isinstance(node, (ast.Assert, ast.Call)):
                continue
            operands = equality_operands(node)
            alias = _why_alias(*operands, nodes) if operands is not None and not about_equality else None
            reason = alias or self._why_passes(node, is_intended, mocks)
            if reason and (alias or not self._marks_a_branch(node)):
                text = f"assertion cannot fail: {reason}; compare with the expected value"
                self.report(self.module.span(node), text)

    def _why_passes(
        self, node: ast.Assert | ast.Call, is_intended: Intended, mocks: frozenset[str]
    ) -> str | None:
        if isinstance(node, ast.Assert):
            return _why_true(node.test, is_intended) or self._why_mock_is_true(node.test, mocks)
        if not isinstance(node.func, ast.Attribute):
            return None
        reason = _why_method_passes(node, node.func.attr, is_intended)
        if reason is None and node.func.attr == "assertTrue" and node.args:
            return self._why_mock_is_true(node.args[0], mocks)
        return reason

    def _mocks(self, case: TestCase) -> frozenset[str]:
        """Return the names in a test that are bound to mocks that accept any attribute."""
        if not self.module.contains(_MAY_MOCK):
            return frozenset()
        found = {name for node in self.module.nodes_of(case) for name in self._bound_mocks(node)}
        decorators = case.node.decorator_list
        if all(map(_is_open_patch, decorators)):
            arguments = [a.arg for a in case.node.args.args if a.arg not in ("self", "cls")]
            found.update(arguments[: len(decorators)])
        return frozenset(found)

    def _bound_mocks(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            yield from self._assigned_mocks(node.targets[0], node.value)
        elif isinstance(node, ast.withitem):
            name = node.optional_vars
            if isinstance(name, ast.Name) and _is_open_patch(node.context_expr):
                yield name.id

    def _assigned_mocks(self, target: ast.expr, call: ast.Call) -> Iterator[str]:
        if isinstance(target, ast.Name) and _is_open_mock(call):
            yield target.id
        elif isinstance(target, ast.Tuple) and isinstance(call.func, ast.Name):
            mocks = self._returned_mocks.get(call.func.id, ())
            for element, is_mock in zip(target.elts, mocks, strict=False):
                if is_mock and isinstance(element, ast.Name):
                    yield element.id

    @cached_property
    def _returned_mocks(self) -> dict[str, tuple[bool, ...]]:
        """Helpers of the module that return a tuple: for each element, whether it is a mock."""
        found = {}
        for function in (n for n in self.module.tree.body if isinstance(n, FUNCTIONS)):
            mocks = set(_local_mocks(function))
            last = function.body[-1]
            if mocks and isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple):
                elements = last.value.elts
                found[function.name] = tuple(isinstance(e, ast.Name) and e.id in mocks for e in elements)
        return found

    def _why_mock_is_true(self, test: ast.expr, mocks: frozenset[str]) -> str | None:
        """Explain why an attribute of a mock is true: it is a mock itself, unless the code assigns it."""
        called = isinstance(test, ast.Call)
        node = test.func if isinstance(test, ast.Call) else test
        if not isinstance(node, ast.Attribute):
            return None
        if called is not bool(_MISSPELT.match(node.attr)):
            return None
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id not in mocks or node.attr in _MOCK_ATTRIBUTES:
            return None
        if re.search(rf"\b{re.escape(node.attr)}\b\s*=(?!=)|configure_mock|spec", self.module.text):
            return None
        return f"{unparse(node)} is a mock, and a mock is true"

    def _marks_a_branch(self, node: ast.Assert | ast.Call) -> bool:
        """Return True if ``assert True`` marks the successful branch and another branch fails."""
        return any(
            isinstance(parent, (ast.ExceptHandler, ast.If, ast.For)) for parent in self.module.ancestors(node)
        )


def _is_open_mock(call: ast.Call) -> bool:
    """Return True if a call creates a mock that accepts any attribute."""
    name = last_name(call.func)
    if name in ("patch", "object"):
        positions = 1 if name == "patch" else 2
        return len(call.args) <= positions and not any(
            k.arg in ("new", "spec", "spec_set", "autospec", "wraps", "new_callable") for k in call.keywords
        )
    return (
        name in ("Mock", "MagicMock", "AsyncMock")
        and not any(k.arg in ("spec", "spec_set", "wraps", None) for k in call.keywords)
        and not call.args
    )


def _local_mocks(function: FunctionNode) -> Iterator[str]:
    """Yield the names that a function binds to mocks that accept any attribute."""
    for node in own_nodes(function.body):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _is_open_mock(node.value):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _is_open_patch(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node) in ("patch", "object") and _is_open_mock(node)


def _why_alias(left: ast.expr, right: ast.expr, nodes: Sequence[ast.AST]) -> str | None:
    """Explain why two names are equal: one is an alias of the other."""
    if not isinstance(left, ast.Name) or not isinstance(right, ast.Name) or left.id == right.id:
        return None
    stores = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    for name, other in ((left.id, right.id), (right.id, left.id)):
        values = _values_of(name, nodes)
        is_alias = len(values) == 1 and isinstance(values[0], ast.Name) and values[0].id == other
        if is_alias and stores[name] == 1 and stores[other] + len(_values_of(other, nodes)) <= 2:
            return f"{name} is an alias of {other}"
    return None


def _values_of(name: str, nodes: Sequence[ast.AST]) -> list[ast.expr]:
    """Return the values of the assignments whose only target is a name."""
    assignments = (n for n in nodes if isinstance(n, ast.Assign) and len(n.targets) == 1)
    return [n.value for n in assignments if isinstance(n.targets[0], ast.Name) and n.targets[0].id == name]


def _is_any(node: ast.expr) -> bool:
    return last_name(node) == "ANY" and isinstance(node, (ast.Name, ast.Attribute))


def _is_or_its_opposite(test: ast.BoolOp) -> bool:
    """Return True if one alternative holds whenever another does not."""
    for one in test.values:
        for other in test.values:
            if (
                isinstance(other, ast.UnaryOp)
                and isinstance(other.op, ast.Not)
                and ast.dump(other.operand) == ast.dump(one)
            ):
                return True
            if one is not other and _excludes(one, other):
                return True
    return False


def _excludes(one: ast.expr, other: ast.expr) -> bool:
    """Return True if two comparisons cannot both be false: ``x == []`` and ``x is not None``."""
    if not isinstance(one, ast.Compare) or not isinstance(other, ast.Compare):
        return False
    if len(one.ops) != 1 or len(other.ops) != 1 or not _compare_opposite(one, other):
        return False
    expected, excluded = one.comparators[0], other.comparators[0]
    is_none = isinstance(excluded, ast.Constant) and excluded.value is None
    is_empty = isinstance(expected, (ast.List, ast.Dict, ast.Tuple, ast.Set, ast.Constant))
    return ast.dump(expected) == ast.dump(excluded) or (is_none and is_empty)


def _compare_opposite(one: ast.Compare, other: ast.Compare) -> bool:
    """Return True if one comparison is an equality and the other an inequality of the same value."""
    if ast.dump(one.left) != ast.dump(other.left) or isinstance(one.left, ast.Call):
        return False
    return isinstance(one.ops[0], (ast.Eq, ast.Is)) and isinstance(other.ops[0], (ast.NotEq, ast.IsNot))


def _why_true(test: ast.expr, is_intended: Intended) -> str | None:
    """Explain why an asserted expression is always true; None if it can be false."""
    if isinstance(test, ast.Compare):
        is_single = len(test.ops) == 1
        compared = (test.left, test.ops[0], test.comparators[0])
        return _why_compares(*compared, is_intended) if is_single else None
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return _why_alternatives(test)
    if isinstance(test, ast.Call):
        return _why_isinstance(test)
    return _why_literal(test)


def _why_literal(test: ast.expr) -> str | None:
    if isinstance(test, ast.Constant) and test.value and not isinstance(test.value, str):
        return f"{test.value!r} is always true"
    if isinstance(test, (ast.List, ast.Set)) and test.elts:
        return "a non-empty literal is true"
    if isinstance(test, ast.Dict) and test.keys:
        return "a non-empty literal is true"
    return "a lambda is always true" if isinstance(test, ast.Lambda) else None


def _why_alternatives(test: ast.BoolOp) -> str | None:
    always = next((one for one in test.values if isinstance(one, ast.Constant) and one.value), None)
    if always is not None:
        return f"{unparse(always)} is always true"
    return "one of the alternatives always holds" if _is_or_its_opposite(test) else None


def _why_isinstance(call: ast.Call) -> str | None:
    if last_name(call.func) != "isinstance" or len(call.args) != 2:
        return None
    kinds = call.args[1].elts if isinstance(call.args[1], ast.Tuple) else [call.args[1]]
    return "every value is an object" if any(last_name(k) == "object" for k in kinds) else None


def _why_compares(left: ast.expr, how: ast.cmpop, right: ast.expr, is_intended: Intended) -> str | None:
    if reason := _why_not_negative(left, how, right):
        return reason
    if isinstance(how, ast.Eq) and (_is_any(left) or _is_any(right)) and not isinstance(left, ast.Subscript):
        return "ANY equals everything"
    if isinstance(how, ast.In) and _is_element(left, right, is_intended):
        return "the value is in the collection by construction"
    if isinstance(how, (ast.Eq, ast.Is, ast.LtE, ast.GtE)) and _are_same(left, right, is_intended):
        return "both operands are the same expression"
    return None


def _why_not_negative(left: ast.expr, how: ast.cmpop, right: ast.expr) -> str | None:
    if not isinstance(left, ast.Call) or last_name(left.func) not in ("len", "abs"):
        return None
    if isinstance(how, ast.GtE) and isinstance(right, ast.Constant) and right.value == 0:
        return "a length is never negative" if last_name(left) == "len" else "abs() is never negative"
    is_trivial = isinstance(how, (ast.Gt, ast.NotEq)) and _is_minus_one(right)
    return "a length is never negative" if is_trivial else None


def _is_element(value: ast.expr, collection: ast.expr, is_intended: Intended) -> bool:
    """Return True if a literal collection contains the same expression."""
    if not isinstance(collection, (ast.List, ast.Tuple, ast.Set)) or is_intended(value):
        return False
    return any(_are_same(value, one, is_intended) for one in collection.elts)


def _is_minus_one(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and unparse(node) == "-1"


def _are_same(left: ast.expr, right: ast.expr, is_intended: Intended) -> bool:
    """Return True if two expressions are the same and contain no call that may differ."""
    if ast.dump(left) != ast.dump(right) or (is_intended(left) and not isinstance(left, ast.Constant)):
        return False
    return not any(isinstance(node, (ast.Call, ast.Await, ast.Yield)) for node in walk(left))


def _results(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Return the names a test assigns once, each the result of calling a function: not an object it makes."""
    stored = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return frozenset(
        node.targets[0].id
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if stored[node.targets[0].id] == 1 and _is_function_call(node.value)
    )


def _is_function_call(value: ast.expr) -> bool:
    call = value.value if isinstance(value, ast.Await) else value
    return isinstance(call, ast.Call) and last_name(call.func)[:1].islower()


def _is_about_equality(case: TestCase, text: str) -> bool:
    """Return True if a test compares values with themselves on purpose, by its name or repeatedly."""
    if _ON_EQUALITY.search(case.name.removeprefix("test_")) or bounded(
        r"(?i)#[^\n]*equal|__eq__|!=|assertNotEqual"
    ).search(text):
        return True
    compared = [n for n in own_nodes(case.node.body) if isinstance(n, ast.Compare) and len(n.ops) == 1]
    return sum(ast.dump(n.left) == ast.dump(n.comparators[0]) for n in compared) > 1


def _why_method_passes(call: ast.Call, name: str, is_intended: Intended) -> str | None:
    """Explain why an assertion method of unittest always passes; None if it can fail."""
    arguments = call.args
    if not arguments:
        return None
    if name == "assertTrue":
        return _why_assert_true_passes(arguments, is_intended)
    if name == "assertIsNotNone" and _is_never_none(arguments[0]):
        return f"{unparse(arguments[0])[:40]} is never None"
    if len(arguments) < 2:
        return None
    if name in _OPERATORS:
        reason = _why_compares(arguments[0], _OPERATORS[name], arguments[1], is_intended)
        if reason is not None:
            return reason
    if name == "assertIsInstance" and last_name(arguments[1]) == "object":
        return "every value is an object"
    if name in _COMPARING and _are_same(arguments[0], arguments[1], is_intended):
        return "both operands are the same expression"
    return None


_OPERATORS: dict[str, ast.cmpop] = {
    "assertGreaterEqual": ast.GtE(),
    "assertGreater": ast.Gt(),
    "assertEqual": ast.Eq(),
    "assertIn": ast.In(),
}


def _why_assert_true_passes(arguments: Sequence[ast.expr], is_intended: Intended) -> str | None:
    asserted = arguments[0]
    is_constant = isinstance(asserted, ast.Constant)
    if not is_constant and (reason := _why_true(asserted, is_intended)) is not None:
        return reason
    if len(arguments) == 2 and _is_no_message(arguments[1]):
        return "the second argument of assertTrue is a message; assertEqual compares"
    return (
        f"{asserted.value!r} is always true"
        if isinstance(asserted, ast.Constant) and asserted.value
        else None
    )


def _is_never_none(node: ast.expr) -> bool:
    """Return True if an expression is a builtin value that cannot be None."""
    if isinstance(node, (ast.List, ast.Dict, ast.Set, ast.Tuple, ast.JoinedStr, ast.Compare)):
        return True
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NEVER_NONE


_NEVER_NONE = frozenset(
    {"len", "str", "repr", "list", "dict", "set", "tuple", "sorted", "bool", "int", "type"}
)


def _is_no_message(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, str)
    return isinstance(node, (ast.List, ast.Dict, ast.Tuple, ast.Set))
