"""A parsed Python test module: its tests and assertions."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import children, walk
from wardround_tests.file_kinds import is_collected
from wardround_tests.models.fixtures import serving

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

ASSERTING_NAME = LazyPattern(
    r"^_*(assert|check|verify|expect|should|ensure|validate|compare|fail$|fail_|must|match|confirm|"
    r"test(_(?!client|request|cli|app|server|data|dir|file|path)\w*)?$|"
    r"run_.*test|do_.*test|_?run_.*case|approve|raises|warns|deprecated_call|exit_with|finish_request_and_)"
    r"|(?i:assert|expect|verify)|fnmatch|re_match|reveal_type|_check$|_match$|_matches$|_test$|_tests$|_equal$"
)
"""Names of calls and context managers that make a test fail when a condition does not hold."""

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


def last_name(node: ast.AST) -> str:
    """Return the last part of the name of a call or decorator: ``mock.patch.object(...)`` -> ``object``."""
    if isinstance(node, ast.Call):
        return last_name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def body_of(node: FunctionNode) -> list[ast.stmt]:
    """Return the statements of a function without its docstring."""
    first = node.body[0]
    is_docstring = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    return node.body[1:] if is_docstring else node.body


def own_nodes(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield every node that runs when the statements do, in source order.

    Nested definitions are not entered.
    """
    stack = list(statements)[::-1]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            stack.extend(reversed(list(children(node))))


_CERTAIN_NAME = LazyPattern(r"(?i)assert|^_*(check|verify|expect)_|^(raises|warns|fail|deprecated_call)$")


def is_certain_assertion(node: ast.AST) -> bool:
    """Return True if a node certainly asserts something, so that its removal is a loss."""
    if isinstance(node, ast.Call):
        return _CERTAIN_NAME.search(last_name(node.func)) is not None
    return isinstance(node, ast.Assert)


def is_assertion(node: ast.AST) -> bool:
    """Return True if a node itself can make a test fail on purpose, judged by its type and name."""
    if isinstance(node, (ast.Assert, ast.Raise)):
        return True
    if isinstance(node, ast.Call):
        return ASSERTING_NAME.search(last_name(node.func)) is not None
    return False


def equality_operands(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Return the two operands of an assertion of equality."""
    if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare) and len(node.test.ops) == 1:
        is_equal = isinstance(node.test.ops[0], ast.Eq)
        return (node.test.left, node.test.comparators[0]) if is_equal else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) >= 2:
        return (node.args[0], node.args[1]) if node.func.attr in ("assertEqual", "assertEquals") else None
    return None


class TestModule(PythonModule):
    """One Python test module under review."""

    __test__ = False

    @cached_property
    def is_collected(self) -> bool:
        return is_collected(self.path)

    @cached_property
    def tests(self) -> list[TestCase]:
        """The tests that a runner collects from the module, in source order."""
        found: list[TestCase] = []
        if not self.is_collected:
            return found
        for statement in self._top(self.tree.body):
            if isinstance(statement, FUNCTIONS) and _is_test(statement):
                found.append(TestCase(statement, None))
            elif isinstance(statement, ast.ClassDef) and _holds_tests(statement):
                found += [
                    TestCase(one, statement)
                    for one in self._top(statement.body)
                    if isinstance(one, FUNCTIONS) and _is_test(one)
                ]
        return found

    def _top(self, body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
        """Yield the statements of a body, and of the conditions and try blocks in it."""
        for statement in body:
            yield statement
            if isinstance(statement, (ast.If, ast.Try, ast.With)):
                yield from self._top(statement.body)
                yield from self._top(getattr(statement, "orelse", []))

    def own(self, case: TestCase) -> Sequence[ast.AST]:
        """Return every node that runs when a test does, in source order; cached for all checks."""
        if case.node not in self._own:
            self._own[case.node] = tuple(own_nodes(case.node.body))
        return self._own[case.node]

    def all_of(self, case: TestCase) -> Sequence[ast.AST]:
        """Return every node of a test, nested definitions included; cached for all checks."""
        if case.node not in self._all:
            self._all[case.node] = tuple(walk(case.node))
        return self._all[case.node]

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

    @cached_property
    def functions(self) -> list[FunctionNode]:
        """Every function and method of the module, nested ones included, in source order."""
        return [node for node in self.nodes if isinstance(node, FUNCTIONS)]

    def functions_named(self, name: str) -> Sequence[FunctionNode]:
        """Return the functions and methods with a name, in source order."""
        return self._functions_by_name.get(name, ())

    @cached_property
    def _functions_by_name(self) -> dict[str, list[FunctionNode]]:
        found: dict[str, list[FunctionNode]] = {}
        for one in self.functions:
            found.setdefault(one.name, []).append(one)
        return found

    @cached_property
    def words(self) -> Counter[str]:
        """Number of occurrences of each word in the text, comments and strings included."""
        return Counter(re.findall(r"\w+", self.text))

    def named(self, last: str) -> Sequence[ast.Name | ast.Attribute]:
        """Return the names and attributes whose last part is a word, in source order."""
        return self._by_last_name.get(last, ())

    @cached_property
    def _by_last_name(self) -> dict[str, list[ast.Name | ast.Attribute]]:
        found: dict[str, list[ast.Name | ast.Attribute]] = {}
        for node in self.nodes:
            if isinstance(node, (ast.Name, ast.Attribute)):
                found.setdefault(last_name(node), []).append(node)
        return found

    @cached_property
    def _own(self) -> dict[ast.AST, Sequence[ast.AST]]:
        return {}

    @cached_property
    def _all(self) -> dict[ast.AST, Sequence[ast.AST]]:
        return {}

    def test_of(self, node: ast.AST) -> TestCase | None:
        """Return the test whose own body contains a node; None in fixtures, helpers and nested functions."""
        function = self.function_of(node)
        return self._by_node.get(function) if function is not None else None

    @cached_property
    def serving(self) -> frozenset[ast.AST]:
        """The tests, and the fixtures, set-up and helpers of this module that run for them."""
        return serving([case.node for case in self.tests], self._functions())

    @cached_property
    def makers(self) -> list[FunctionNode]:
        """The fixtures, set-up and helpers that run for tests, in source order."""
        return [one for one in self._functions() if one in self.serving and one not in self._by_node]

    def serves(self, node: ast.AST) -> bool:
        """Return True if a node runs in a test or in the set-up of this module."""
        return self.function_of(node) in self.serving

    def _functions(self) -> Iterator[FunctionNode]:
        """Yield the functions of the module and the methods of its test classes."""
        for statement in self._top(self.tree.body):
            if isinstance(statement, FUNCTIONS):
                yield statement
            elif isinstance(statement, ast.ClassDef) and _holds_tests(statement):
                yield from (one for one in self._top(statement.body) if isinstance(one, FUNCTIONS))

    @cached_property
    def _by_node(self) -> dict[ast.AST, TestCase]:
        return {case.node: case for case in self.tests}

    @cached_property
    def asserting(self) -> frozenset[str]:
        """Functions and methods of this module that assert, directly or indirectly."""
        functions: dict[str, list[FunctionNode]] = {}
        classes = [s for s in self._top(self.tree.body) if isinstance(s, ast.ClassDef)]
        for node in (*self._top(self.tree.body), *(s for c in classes for s in self._top(c.body))):
            if isinstance(node, FUNCTIONS) and node not in self._by_node:
                functions.setdefault(node.name, []).append(node)
        calls = {
            name: {last_name(c) for n in nodes for c in walk(n) if isinstance(c, ast.Call)}
            for name, nodes in functions.items()
        }
        found = {name for name, nodes in functions.items() if any(map(is_assertion, _walk_all(nodes)))}
        grew = True
        while grew:
            more = {name for name, called in calls.items() if name not in found and called & found}
            found |= more
            grew = bool(more)
        return frozenset(found)

    @cached_property
    def unknown_helpers(self) -> frozenset[str]:
        """Local names imported from other test code, which may assert and is not visible here."""
        return frozenset(
            local
            for local, dotted in self.imported.items()
            if dotted.startswith(".")
            or re.search(
                r"(^|[._])(tests?|testing|testutils?|helpers?|utils?|"
                r"conftest|fixtures?|common|support)([._]|$)",
                dotted,
            )
        )

    @cached_property
    def harmless(self) -> frozenset[str]:
        """Plain functions of this module that certainly do not assert, whatever their names."""
        return frozenset(
            node.name
            for node in self.tree.body
            if isinstance(node, FUNCTIONS)
            and node not in self._by_node
            and node.name not in self.asserting
            and not node.decorator_list
            and any(isinstance(one, ast.Return) and one.value is not None for one in walk(node))
            and not any(
                isinstance(one, ast.Call) and root_name(one.func) in self.unknown_helpers
                for one in walk(node)
            )
        )

    def asserts(self, node: ast.AST) -> bool:
        """Return True if a node makes a test fail on purpose, also through a helper."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.harmless:
            return False
        if is_assertion(node) or self.calls_own_helper(node):
            return True
        return isinstance(node, ast.Call) and root_name(node.func) in self.unknown_helpers

    def calls_own_helper(self, node: ast.AST) -> bool:
        """Return True if a node calls a function or method of this module that asserts."""
        if not isinstance(node, ast.Call) or last_name(node.func) not in self.asserting:
            return False
        return isinstance(node.func, ast.Name) or root_name(node.func) in ("self", "cls")

    def text_of(self, node: FunctionNode) -> str:
        """Return the source of a function, comments included."""
        return "\n".join(self._lines[node.lineno - 1 : node.end_lineno])

    def has_foreign_decorator(self, case: TestCase) -> bool:
        """Return True if a test or its class has a decorator with unknown effects."""
        decorators = [*case.node.decorator_list, *(case.cls.decorator_list if case.cls else [])]
        return any(last_name(one) not in _FRAME_DECORATORS for one in decorators)


def root_name(node: ast.expr) -> str:
    """Return the first name of a chain of attributes; empty if it begins with another expression."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _walk_all(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        yield from walk(node)


def _is_test(function: FunctionNode) -> bool:
    if not re.match(r"test(_|$|[A-Z0-9])", function.name):
        return False
    return not any(
        last_name(one) in ("fixture", "property", "overload", "cached_property", "command", "route")
        for one in function.decorator_list
    )


def _holds_tests(cls: ast.ClassDef) -> bool:
    """Return True if a runner collects a class, judged by its name and bases."""
    names = [cls.name, *(last_name(base) for base in cls.bases)]
    return any(re.search(r"[Tt]est|Case$", name) for name in names)


def either_order(operands: tuple[ast.expr, ast.expr] | None) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the two operands of a comparison in both orders."""
    if operands is not None:
        yield operands
        yield operands[1], operands[0]


def outermost_function(module: PythonModule, node: ast.AST) -> ast.AST | None:
    """Return the outermost function around a node."""
    found = None
    for parent in module.ancestors(node):
        if isinstance(parent, FUNCTIONS):
            found = parent
    return found
