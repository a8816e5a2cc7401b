"""A parsed Python test module and its tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern
from wardround_tests.file_kinds import is_collected
from wardround_tests.models.assertion_helpers import AssertionHelpers
from wardround_tests.models.fixtures import test_code
from wardround_tests.models.name_index import NameIndex
from wardround_tests.models.syntax import FUNCTIONS, last_name, own_nodes, top_level

_FRAME_DECORATORS = frozenset(
    {
        "parametrize",
        "patch",
        "object",
        "dict",
        "multiple",
        "asyncio",
        "anyio",
        "trio",
        "usefixtures",
        "filterwarnings",
        "django_db",
        "skipif",
        "skipIf",
        "skipUnless",
        "staticmethod",
        "classmethod",
        "timeout",
        "slow",
        "flaky",
        "unit",
        "integration",
        "mark",
        "override_settings",
    }
)
"""Last parts of decorators that do not assert anything themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class TestCase:
    """A test function and the class that contains it."""

    __test__ = False

    node: FunctionNode
    cls: ast.ClassDef | None

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def parameters(self) -> frozenset[str]:
        arguments = self.node.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        return frozenset(names) - {"self", "cls"}


class TestModule(PythonModule):
    """One Python test module under review."""

    __test__ = False

    @cached_property
    def is_collected(self) -> bool:
        return is_collected(self.path)

    @cached_property
    def names(self) -> NameIndex:
        return NameIndex(self)

    @cached_property
    def helpers(self) -> AssertionHelpers:
        return AssertionHelpers(self, self._tests_by_node)

    @cached_property
    def tests(self) -> list[TestCase]:
        """The tests that a runner collects from the module, in source order."""
        return list(self._collected_tests()) if self.is_collected else []

    def _collected_tests(self) -> Iterator[TestCase]:
        for statement in top_level(self.tree.body):
            if isinstance(statement, FUNCTIONS) and _is_test(statement):
                yield TestCase(statement, None)
            elif isinstance(statement, ast.ClassDef) and _contains_tests(statement):
                yield from _tests_of_class(statement)

    def tests_in(self, cls: ast.ClassDef) -> Sequence[TestCase]:
        """Return the tests of a class, in source order."""
        return self._tests_by_class.get(cls, ())

    @cached_property
    def _tests_by_class(self) -> dict[ast.ClassDef, list[TestCase]]:
        found: dict[ast.ClassDef, list[TestCase]] = {}
        for case in self.tests:
            if case.cls is not None:
                found.setdefault(case.cls, []).append(case)
        return found

    def test_of(self, node: ast.AST) -> TestCase | None:
        """Return the test whose own body contains a node; None in fixtures, helpers and nested functions."""
        function = self.function_of(node)
        return self._tests_by_node.get(function) if function is not None else None

    @cached_property
    def _tests_by_node(self) -> dict[ast.AST, TestCase]:
        return {case.node: case for case in self.tests}

    def contains(self, pattern: LazyPattern) -> bool:
        """Return True if the text of the module matches a pattern somewhere; searched once for all tests."""
        if pattern not in self._pattern_results:
            self._pattern_results[pattern] = pattern.search(self.text) is not None
        return self._pattern_results[pattern]

    @cached_property
    def _pattern_results(self) -> dict[LazyPattern, bool]:
        return {}

    def nodes_of(self, case: TestCase) -> Sequence[ast.AST]:
        """Return every node that runs when a test does, in source order; cached for all checks."""
        if case.node not in self._executed_nodes:
            self._executed_nodes[case.node] = tuple(own_nodes(case.node.body))
        return self._executed_nodes[case.node]

    @cached_property
    def _executed_nodes(self) -> dict[ast.AST, Sequence[ast.AST]]:
        return {}

    def all_nodes_of(self, case: TestCase) -> Sequence[ast.AST]:
        """Return every node of a test, nested definitions included; cached for all checks."""
        if case.node not in self._all_nodes:
            self._all_nodes[case.node] = tuple(walk(case.node))
        return self._all_nodes[case.node]

    @cached_property
    def _all_nodes(self) -> dict[ast.AST, Sequence[ast.AST]]:
        return {}

    @cached_property
    def functions(self) -> list[FunctionNode]:
        """Every function and method of the module, nested ones included, in source order."""
        return [node for node in self.nodes if isinstance(node, FUNCTIONS)]

    @cached_property
    def test_code(self) -> frozenset[ast.AST]:
        """The tests, and the fixtures, set-up and helpers of this module that run for them."""
        return test_code([case.node for case in self.tests], self._candidate_functions())

    @cached_property
    def support_functions(self) -> list[FunctionNode]:
        """The fixtures, set-up and helpers that run for tests, in source order."""
        functions = self._candidate_functions()
        return [
            function
            for function in functions
            if function in self.test_code and function not in self._tests_by_node
        ]

    def runs_in_tests(self, node: ast.AST) -> bool:
        """Return True if a node runs in a test or in the set-up of this module."""
        return self.function_of(node) in self.test_code

    def _candidate_functions(self) -> Iterator[FunctionNode]:
        """Yield the functions of the module and the methods of its test classes."""
        for statement in top_level(self.tree.body):
            if isinstance(statement, FUNCTIONS):
                yield statement
            elif isinstance(statement, ast.ClassDef) and _contains_tests(statement):
                yield from (inner for inner in top_level(statement.body) if isinstance(inner, FUNCTIONS))

    def asserts(self, node: ast.AST) -> bool:
        """Return True if a node makes a test fail on purpose, also through a helper."""
        return self.helpers.asserts(node)

    def text_of(self, node: FunctionNode) -> str:
        """Return the source of a function, comments included."""
        return "\n".join(self._lines[node.lineno - 1 : node.end_lineno])


def _tests_of_class(cls: ast.ClassDef) -> Iterator[TestCase]:
    for method in top_level(cls.body):
        if isinstance(method, FUNCTIONS) and _is_test(method):
            yield TestCase(method, cls)


def has_unknown_decorator(case: TestCase) -> bool:
    """Return True if a test or its class has a decorator with unknown effects."""
    decorators = [*case.node.decorator_list, *(case.cls.decorator_list if case.cls else [])]
    return any(last_name(decorator) not in _FRAME_DECORATORS for decorator in decorators)


def _is_test(function: FunctionNode) -> bool:
    if not re.match(r"test(_|$|[A-Z0-9])", function.name):
        return False
    return not any(
        last_name(decorator) in ("fixture", "property", "overload", "cached_property", "command", "route")
        for decorator in function.decorator_list
    )


def _contains_tests(cls: ast.ClassDef) -> bool:
    """Return True if a runner collects a class, judged by its name and bases."""
    names = [cls.name, *(last_name(base) for base in cls.bases)]
    return any(re.search(r"[Tt]est|Case$", name) for name in names)
