from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TypeGuard

from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.storage.regex_cache import bounded_pattern
from wardround_tests.analysis.trivial_assertions import Intended, explain_true_condition, why_method_passes
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS, equality_operands, last_name, own_nodes

_ON_EQUALITY = LazyPattern(
    r"(?i)(^|_)(eq|ne|cmp|nan)(_|$)|^is_|_is(_not)?$|itself|equal|same|ident|hash|compar|reflex|order|singleton|cache|intern|__eq__"
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

        def is_intended(expression: ast.expr) -> bool:
            return about_equality and not (isinstance(expression, ast.Name) and expression.id in results)

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
            return explain_true_condition(node.test, is_intended) or self._why_mock_is_true(node.test, mocks)
        if not isinstance(node.func, ast.Attribute):
            return None
        reason = why_method_passes(node, node.func.attr, is_intended)
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
    for name, other in ((left.id, right.id), (right.id, left.id)):
        if _is_alias(name, other, nodes):
            return f"{name} is an alias of {other}"
    return None


def _is_alias(name: str, other: str, nodes: Sequence[ast.AST]) -> bool:
    """Return True if a name is bound only once, to another name."""
    match _values_of(name, nodes):
        case [ast.Name(id=value)] if value == other:
            stores = [node.id for node in nodes if _is_store(node)]
            return stores.count(name) == 1 and stores.count(other) + len(_values_of(other, nodes)) <= 2
    return False


def _is_store(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _values_of(name: str, nodes: Sequence[ast.AST]) -> list[ast.expr]:
    """Return the values of the assignments whose only target is a name."""
    values = []
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                values.append(value)
    return values


def _results(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Return the names that a test assigns once, each to the result of a function, not of a constructor."""
    stored = Counter(node.id for node in nodes if _is_store(node))
    names = set()
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name), *_], value=value):
                if stored[name] == 1 and _is_function_call(value):
                    names.add(name)
    return frozenset(names)


def _is_function_call(value: ast.expr) -> bool:
    call = value.value if isinstance(value, ast.Await) else value
    return isinstance(call, ast.Call) and last_name(call.func)[:1].islower()


def _is_about_equality(case: TestCase, text: str) -> bool:
    """Return True if a test compares values with themselves on purpose, by its name or repeatedly."""
    if _ON_EQUALITY.search(case.name.removeprefix("test_")) or bounded_pattern(
        r"(?i)#[^\n]*equal|__eq__|!=|assertNotEqual"
    ).search(text):
        return True
    compared = [n for n in own_nodes(case.node.body) if isinstance(n, ast.Compare) and len(n.ops) == 1]
    return sum(ast.dump(n.left) == ast.dump(n.comparators[0]) for n in compared) > 1
