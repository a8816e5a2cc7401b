"""TE010: tests that share mutable module or class state."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS, outermost_function

_CHANGING = frozenset(
    {"append", "extend", "insert", "add", "update", "pop", "remove", "clear", "setdefault", "discard"}
)
_ORDERED = LazyPattern(r"pytest\.mark\.(order\(|run\(order|dependency\(.*depends)")
_NUMBERED = LazyPattern(r"test_*(\d+|step_?\d+)_|test_[a-h]_")
"""Names that order tests alphabetically."""
_FILLING = _CHANGING - {"clear"}


class OrderDependentTests(PythonTestCheck):
    """One test changes module or class state that another test reads.

    The second test passes or fails depending on whether the first ran before it: on its own, in another order
    or on another worker it behaves differently. Create the value in a fixture for each test.
    """

    ID = "TE010"
    NAME = "order-dependent-tests"
    MATURITY = Maturity.PREVIEW
    VALID = [
        code("""
            class TestUser:
                def setup_method(self):
                    TestUser.id = 0
                def test_create(self):
                    TestUser.id = create()
                    assert self.id
                def test_delete(self):
                    assert delete(self.id)
        """),
        code("""
            class UserTest(TestCase):
                users = Users()
                def test_add(self):
                    self.assertTrue(self.users.add('a'))
                def test_drop(self):
                    self.assertTrue(self.users.drop('a'))
        """),
    ]
    INVALID = [
        code("""
            import pytest
            @«pytest.mark.order(2)»
            def test_delete():
                assert delete(1)
        """),
        code("""
            class TestUser:
                def test_create(self):
                    TestUser.id = create()
                    assert self.id
                def test_delete(self):
                    assert delete(«self.id»)
        """),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        names = set(_own_variables(node))
        if not names or len(self.module.tests) < 2:
            return
        writers: dict[str, TestCase] = {}
        for case in self.module.tests:
            for name, _ in _changes(case.node, names):
                writers.setdefault(name, case)
        for name, case in sorted(writers.items()):
            found = None if self._is_renewed(name) else self._reader(name, case)
            if found is not None:
                reader, read = found
                text = f'"{reader.name}" reads {name}, which "{case.name}" changes; create it in a fixture'
                self.report(self.module.span(read), text)

    def check_test(self, case: TestCase) -> None:
        for one in case.node.decorator_list:
            if isinstance(one, ast.Call) and _ORDERED.match(unparse(one)) and not _is_at_an_end(one):
                text = f'"{case.name}" requires an order, so it depends on other tests; set up its state'
                self.report(self.module.span(one), text, severity=Severity.INFO)
                return

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        tests = self.module.tests_in(node)
        if len(tests) < 2:
            return
        self._check_class_attributes(node, tests)
        numbers = [match for case in tests if (match := _NUMBERED.match(case.name))]
        if len(numbers) == len(tests):
            self._check_numbered(node, tests)

    def _check_class_attributes(self, cls: ast.ClassDef, tests: Sequence[TestCase]) -> None:
        """Report an attribute of the class that one test sets and another reads."""
        for case in tests:
            for statement in self.module.all_nodes_of(case):
                name = _class_attribute(statement, cls.name)
                if not name or not isinstance(statement, ast.stmt):
                    continue
                others = [one for one in tests if one is not case]
                reader = next((one for one in others if _reads(one.node, name, cls.name)), None)
                if reader is not None and not self._is_set_up(cls, name):
                    text = f'"{reader.name}" reads {cls.name}.{name}, which "{case.name}" sets; use a fixture'
                    self.report(self.module.span(_reads(reader.node, name, cls.name)[0]), text)
                    return

    def _is_set_up(self, cls: ast.ClassDef, name: str) -> bool:
        """Return True if code that runs before each test sets an attribute."""
        return any(
            isinstance(method, FUNCTIONS)
            and (
                method.name in ("setUp", "setup_method", "tearDown", "teardown_method")
                or method.decorator_list
            )
            and not _is_test_name(method.name)
            and not _runs_once(method)
            and name in unparse(method)
            for method in cls.body
        )

    def _check_numbered(self, cls: ast.ClassDef, tests: Sequence[TestCase]) -> None:
        """Report state that numbered tests share: their names imply that they build on one another."""
        if any(isinstance(s, FUNCTIONS) and s.name in ("setUp", "setup_method") for s in cls.body):
            return
        for statement in cls.body:
            if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or not _is_new_object(statement.value):
                continue
            names = (t.id for t in _targets(statement) if isinstance(t, ast.Name))
            shared = next((n for n in names if sum(_uses_own(c.node, n) for c in tests) > 1), None)
            if shared is not None:
                text = f'numbered tests of "{cls.name}" share {shared}; create it for each test'
                self.report(self.module.span(statement), text)
                return

    def _is_renewed(self, name: str) -> bool:
        """Return True if code other than a test uses the name, and so may recreate it for each test."""
        tests = {None, *(case.node for case in self.module.tests)}
        return any(
            isinstance(node, ast.Name) and outermost_function(self.module, node) not in tests
            for node in self.module.names.references(name)
        )

    def _reader(self, name: str, writer: TestCase) -> tuple[TestCase, ast.Name] | None:
        """Return another test that reads the variable without recreating it, and the position."""
        for case in self.module.tests:
            if case is writer:
                continue
            uses = [n for n in self.module.all_nodes_of(case) if isinstance(n, ast.Name) and n.id == name]
            if not uses or name in _locals(case.node) or _clears(case.node, name):
                continue
            if isinstance(uses[0].ctx, ast.Load):
                return case, min(uses, key=lambda n: (n.lineno, n.col_offset))
        return None


def _is_at_an_end(mark: ast.Call) -> bool:
    """Return True if a mark moves a test to the start or the end of the run, which names no other test."""
    ends = ("first", "last", -1, 0)
    values = (one.value for one in mark.args if isinstance(one, ast.Constant))
    return not mark.keywords and any(value in ends for value in values)


def _is_own(statement: ast.Assign | ast.AnnAssign) -> bool:
    """Return True if an assignment binds a new container or a plain value."""
    value = statement.value
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in ("list", "dict", "set")
    return isinstance(value, (ast.List, ast.Dict, ast.Set, ast.Constant))


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, (ast.AnnAssign, ast.AugAssign)) else []


def _locals(function: ast.AST) -> set[str]:
    """Return the names that a function binds locally."""
    shared = {name for n in walk(function) if isinstance(n, ast.Global) for name in n.names}
    bound = {n.id for n in walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return (bound | {n.arg for n in walk(function) if isinstance(n, ast.arg)}) - shared


def _clears(function: ast.AST, name: str) -> bool:
    return any(
        isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr == "clear"
        and isinstance(n.func.value, ast.Name)
        and n.func.value.id == name
        for n in walk(function)
    )


def _changes(function: ast.AST, names: set[str]) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the statements of a test that change a module variable, unless it recreates it."""
    own = _locals(function)
    for statement in walk(function):
        if not isinstance(statement, ast.stmt):
            continue
        name = _changed(statement)
        if name in names and name not in own and not _clears(function, name):
            yield name, statement


def _changed(statement: ast.stmt) -> str:
    for target in _targets(statement):
        root = target.value if isinstance(target, ast.Subscript) else target
        if isinstance(root, ast.Name):
            return root.id
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _FILLING:
        return call.func.value.id if isinstance(call.func.value, ast.Name) else ""
    return ""


def _class_attribute(node: ast.AST, cls: str) -> str:
    """Return the attribute of the class that a statement of a test sets."""
    if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return ""
    for target in _targets(node):
        if isinstance(target, ast.Attribute) and unparse(target.value) in _class_expressions(cls):
            return target.attr
    return ""


def _class_expressions(cls: str) -> frozenset[str]:
    return frozenset({cls, "self.__class__", "type(self)", "cls"})


def _reads(function: ast.AST, name: str, cls: str) -> list[ast.Attribute]:
    """Return where a test reads an attribute of its class; empty if it sets it itself."""
    own = [n for n in walk(function) if isinstance(n, ast.Attribute) and n.attr == name]
    own = [n for n in own if unparse(n.value) in _class_expressions(cls) | {"self"}]
    own.sort(key=lambda n: (n.lineno, n.col_offset))
    return own if all(isinstance(n.ctx, ast.Load) for n in own) else []


def _runs_once(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return True if a method runs once for all tests of a class."""
    wide = [one for one in method.decorator_list if re.search(r"scope=.(class|module|session)", unparse(one))]
    return bool(wide) or method.name in ("setUpClass", "tearDownClass", "setup_class", "teardown_class")


def _is_test_name(name: str) -> bool:
    return name.startswith("test")


def _is_new_object(value: ast.expr | None) -> bool:
    """Return True if a value is a new mutable object: an instance or a container."""
    if isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return name[:1].isupper() or name in ("list", "dict", "set")
    return isinstance(value, (ast.List, ast.Dict, ast.Set))


def _uses_own(function: ast.AST, name: str) -> bool:
    return any(
        isinstance(n, ast.Attribute) and n.attr == name and unparse(n.value) in ("self", "self.__class__")
        for n in walk(function)
    )


def _own_variables(module: ast.Module) -> Iterator[str]:
    """Yield the variables of a module that it binds to a new container or a plain value."""
    for statement in module.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and _is_own(statement):
            yield from (t.id for t in _targets(statement) if isinstance(t, ast.Name))
