"""TE021: tests that depend on what another test stored."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.languages.python.module import FunctionNode, binds
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.fixtures import fixture_scope, is_fixture
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS, last_name, outermost_function, own_nodes

_STORING = LazyPattern(
    r"^(add|append|extend|insert|put|push|set|register|create|write|save|store|record|enqueue|book|deposit|"
    r"increment|incr|install|mark|move|rename|subscribe|sell|buy|transfer|reserve|log_in|login|sign_?up)(_|$)"
)
_STORING_LINE = LazyPattern(
    r"(?m)^\s+(await )?([\w.()]+\.)?(add|append|extend|insert|put|push|set|register|create|write|"
    r"save|store|record|"
    r"enqueue|book|deposit|incr|install|mark|move|rename|subscribe|sell|buy|transfer|reserve|log_?in|sign_?up)\w*\("
    r"|^\s+\w+\[[^\]]+\] = "
)
"""Pattern of a line that may store something."""
_READING = frozenset({"len", "sorted", "list", "set", "tuple", "dict", "sum", "str", "bool", "frozenset"})
_PER_RUN = frozenset({"module", "session", "package", "class"})
_PATHS = frozenset({"Path", "PurePath", "PosixPath"})


class Shared(msgspec.Struct, frozen=True):
    """An object that several tests share.

    Attributes:
        name: as written: ``basket``, ``self.basket``.
        is_path: True for a path in the file system, which objects created from it share.
        home: the module of an imported object.
    """

    name: str
    is_path: bool = False
    home: str = ""


class OrderDependentTest(PythonTestCheck):
    """A test expects state that another test created.

    The test only reads, and its expected state was stored by another test in a shared object, registry or
    folder. On its own or in another order it fails. Create the shared object for each test in a fixture or
    setUp, and store what the test needs.
    """

    ID = "TE021"
    NAME = "order-dependent-test"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "order-dependent-tests"
    VALID = [
        code("""
            from shop import PRICES, Basket, price_of, register
            basket = Basket()
            def test_add():
                basket.add('a')
                assert len(basket) == 1
            def test_price():
                basket.clear()
                assert len(basket) == 0
        """),
        code("""
            from shop import PRICES, Basket, price_of, register
            def test_register():
                register('a', 1)
                assert PRICES['a'] == 1
            def test_standard():
                assert PRICES['standard'] == 2
        """),
    ]
    INVALID = [
        code("""
            from shop import PRICES, Basket, price_of, register
            basket = Basket()
            def test_add():
                basket.add('a')
                assert basket.total() == 3
            def test_holds():
                «assert basket.items() == ['a']»
        """),
        code("""
            from shop import PRICES, Basket, price_of, register
            def test_register():
                register('a', 1)
                assert price_of('a') == 1
            def test_other():
                register('b', 2)
                assert price_of('b') == 2
            def test_prices():
                «assert sorted(PRICES) == ['a', 'b']»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return source.text.count("def test") > 1 and _STORING_LINE.search(source.text) is not None

    def visit_Module(self, node: ast.Module) -> None:
        if len(self.module.tests) > 1:
            self._check_shared(self._module_objects, self.module.tests)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        tests = self.module.tests_in(node)
        if len(tests) > 1:
            self._check_shared([s for s in _class_objects(node) if not _is_renewed_in(node, s.name)], tests)

    @cached_property
    def _names(self) -> dict[TestCase, frozenset[str]]:
        """Names, and attributes of ``self``, that each test uses."""
        return {case: frozenset(_names_in(case.node)) for case in self.module.tests}

    def _check_shared(self, shared: Sequence[Shared], tests: Sequence[TestCase]) -> None:
        for one in shared:
            within = [case for case in tests if one.home or one.name in self._names[case]]
            within = [case for case in within if self._uses(case, one)] if len(within) > 1 else []
            writing = [case for case in within if self._writes(case, one)]
            reading = [case for case in within if case not in writing]
            if writing and reading and (one.name.startswith("self.") or not self._is_renewed(one.name)):
                self._check_readers(one, reading, writing)

    def _check_readers(
        self, shared: Shared, reading: Sequence[TestCase], writing: Sequence[TestCase]
    ) -> None:
        """Report the first test that expects what other tests stored."""
        for case in reading:
            found = self._expects(case, shared, writing)
            if found is not None:
                text = (
                    f'"{case.name}" depends on what "{writing[0].name}" left in {shared.name}; use a fixture'
                )
                self.report(self.module.span(found), text)
                return

    @cached_property
    def _module_objects(self) -> list[Shared]:
        found = [one for statement in self.module.tree.body if (one := _shared_by(statement)) is not None]
        for local, dotted in self.module.imported.items():
            if re.fullmatch(r"_?[A-Z][A-Z0-9_]+|registry|REGISTRY", local) and "." in dotted:
                found.append(Shared(local, home=dotted.rpartition(".")[0]))
        return found

    def _is_renewed(self, name: str) -> bool:
        """Return True if set-up or a helper handles a shared object, and so may recreate it."""
        tests = {case.node for case in self.module.tests}
        return any(
            isinstance(n, ast.Name)
            and (owner := outermost_function(self.module, n)) is not None
            and owner not in tests
            and getattr(owner, "name", "") != name
            for n in self.module.names.references(name)
        )

    def _uses(self, case: TestCase, shared: Shared) -> bool:
        """Return True if a test uses a shared object, or functions of its module."""
        if shared.name in self._names[case]:
            return not binds(case.node, shared.name)
        return bool(shared.home) and any(
            self._stores_in_module(n, shared) for n in self.module.nodes_of(case)
        )

    def _writes(self, case: TestCase, shared: Shared) -> bool:
        """Return True if a test changes a shared object."""
        derived = _derived_names(case, shared)
        for node in self.module.nodes_of(case):
            if self._stores_in_module(node, shared):
                return True
            if isinstance(node, ast.Expr) and _calls_storing(node.value, shared, derived):
                return True
            if isinstance(node, ast.Assign) and _assigns_item(node, shared.name):
                return True
        return False

    def _stores_in_module(self, node: ast.AST, shared: Shared) -> bool:
        """Return True if a statement calls a function that stores something in its module."""
        call = node.value if isinstance(node, ast.Expr) else None
        if not shared.home or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return False
        dotted = self.module.imported_name(call.func) or ""
        return dotted.rpartition(".")[0] == shared.home and _STORING.match(call.func.id) is not None

    def _expects(
        self, case: TestCase, shared: Shared, writing: Sequence[TestCase]
    ) -> ast.expr | ast.stmt | None:
        """Return the first assertion of a read-only test that states the content of a shared object."""
        nodes = list(own_nodes(case.node.body))
        if any(map(self._has_effect, nodes)):
            return None
        for node in nodes:
            sides = _sides(node)
            if sides is None or not isinstance(node, (ast.Assert, ast.Call)):
                continue
            inspected, expected = sides
            if _only_reads(inspected, shared, case) and _is_stored(expected, writing, shared):
                return node
        return None

    def _has_effect(self, node: ast.AST) -> bool:
        """Return True if a statement is a block or a call other than an assertion."""
        if isinstance(node, ast.Expr):
            return not _is_text(node) and not self.module.asserts(node.value)
        return isinstance(node, (ast.With, ast.AsyncWith, ast.Delete))


def _names_in(function: ast.AST) -> Iterator[str]:
    for node in walk(function):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            yield f"self.{node.attr}"


def _class_objects(cls: ast.ClassDef) -> list[Shared]:
    """Return the containers and objects that the tests of a class share."""
    found = []
    for statement in cls.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            if isinstance(statement.value, (ast.List, ast.Dict, ast.Set)):
                found.append(Shared(f"self.{statement.targets[0].id}"))
        elif isinstance(statement, FUNCTIONS) and statement.name == "setUpClass":
            found += map(Shared, _created_attributes(statement))
    return found


def _created_attributes(function: FunctionNode) -> Iterator[str]:
    """Yield the attributes to which a method assigns a new object or container."""
    for node in own_nodes(function.body):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Attribute):
            continue
        if isinstance(node.value, (ast.Call, ast.List, ast.Dict, ast.Set)):
            yield f"self.{node.targets[0].attr}"


def _is_renewed_in(cls: ast.ClassDef, name: str) -> bool:
    """Return True if a method other than a test handles an attribute, and so may recreate it."""
    attribute = name.rpartition(".")[2]
    return any(
        isinstance(method, FUNCTIONS)
        and not method.name.startswith("test")
        and method.name != "setUpClass"
        and re.search(rf"\b{attribute}\b", unparse(method))
        for method in cls.body
    )


def _creates_object(fixture: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return True if a fixture returns an object or container that it creates."""
    last = fixture.body[-1]
    value = last.value if isinstance(last, (ast.Return, ast.Expr)) else None
    value = value.value if isinstance(value, ast.Yield) else value
    if isinstance(value, ast.Name):
        created = [
            n.value for n in own_nodes(fixture.body) if isinstance(n, ast.Assign) and binds(n, value.id)
        ]
        value = created[0] if len(created) == 1 else None
    if isinstance(value, ast.Call):
        return last_name(value.func)[:1].isupper() or last_name(value.func) in ("list", "dict", "set")
    return isinstance(value, (ast.List, ast.Dict, ast.Set))


def _is_it(node: ast.AST, shared: Shared) -> bool:
    is_name = isinstance(node, ast.Name) or (
        isinstance(node, ast.Attribute) and shared.name.startswith("self.")
    )
    return is_name and unparse(node) == shared.name


def _is_derived(node: ast.expr, shared: Shared) -> bool:
    """Return True if an object is created from the shared one only: a writer for a folder."""
    if not isinstance(node, ast.Call) or not last_name(node.func)[:1].isupper():
        return False
    return any(isinstance(a, ast.Name) and a.id == shared.name for a in node.args)


def _derived_names(case: TestCase, shared: Shared) -> set[str]:
    """Return the variables of a test that hold objects created from the shared one."""
    if not shared.is_path:
        return set()
    return {
        target.id
        for node in own_nodes(case.node.body)
        if isinstance(node, ast.Assign) and _is_derived(node.value, shared)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _is_text(statement: ast.Expr) -> bool:
    return isinstance(statement.value, ast.Constant)


def _sides(node: ast.AST) -> tuple[ast.expr, ast.expr | None] | None:
    """Return the inspected expression of an assertion, and the expected one."""
    if isinstance(node, ast.Assert):
        test = node.test
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            if isinstance(test.ops[0], ast.Eq):
                return test.left, test.comparators[0]
            return (test.comparators[0], test.left) if isinstance(test.ops[0], ast.In) else None
        return None
    if isinstance(node, ast.Call) and len(node.args) >= 2:
        name = last_name(node.func)
        if name in ("assertEqual", "assertListEqual", "assertDictEqual", "assertCountEqual"):
            return node.args[0], node.args[1]
        return (node.args[1], node.args[0]) if name == "assertIn" else None
    return None


def _only_reads(inspected: ast.expr, shared: Shared, case: TestCase) -> bool:
    """Return True if an expression reads a shared object without calls that take arguments."""
    nodes = list(walk(inspected))
    if not any(_is_it(n, shared) for n in nodes):
        return False
    if any(isinstance(n, (ast.Lambda, ast.GeneratorExp, ast.ListComp)) for n in nodes):
        return False
    return all(_is_reading(n, shared) for n in nodes if isinstance(n, ast.Call))


def _is_reading(call: ast.Call, shared: Shared) -> bool:
    """Return True if a call is a reading builtin, a getter, or creates an object from a shared path."""
    if isinstance(call.func, ast.Name) and call.func.id in _READING:
        return True
    is_getter = isinstance(call.func, ast.Attribute) and not call.args and not call.keywords
    return is_getter or (shared.is_path and _is_derived(call, shared))


def _shared_by(statement: ast.stmt) -> Shared | None:
    """Return the object that a statement of a module creates for several tests."""
    if isinstance(statement, ast.Assign):
        target, value = statement.targets[0], statement.value
        if not isinstance(target, ast.Name) or not isinstance(value, ast.Call):
            return None
        is_path = last_name(value.func) in _PATHS and "tmp" not in unparse(value).lower()
        return Shared(target.id, is_path)
    if not isinstance(statement, FUNCTIONS) or not is_fixture(statement):
        return None
    is_shared = fixture_scope(statement) in _PER_RUN and _creates_object(statement)
    return Shared(statement.name) if is_shared else None


def _calls_storing(value: ast.expr, shared: Shared, derived: set[str]) -> bool:
    """Return True if an expression calls a storing method of a shared object or of a derived one."""
    call = value.value if isinstance(value, ast.Await) else value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    if not _STORING.match(call.func.attr) and "clear" not in call.func.attr:
        return False
    owner = unparse(call.func.value)
    is_shared = owner == shared.name or owner in derived
    return is_shared or (shared.is_path and _is_derived(call.func.value, shared))


def _assigns_item(node: ast.Assign, name: str) -> bool:
    target = node.targets[0]
    return isinstance(target, ast.Subscript) and unparse(target.value) == name


def _is_stored(expected: ast.expr | None, writing: Sequence[TestCase], shared: Shared) -> bool:
    """Return True if the expected value is a literal that other tests stored, or is empty."""
    try:
        value = ast.literal_eval(expected) if expected is not None else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    if value is None or isinstance(value, bool):
        return False
    if shared.home:
        return isinstance(value, (list, dict, set, tuple)) and len(value) == len(writing)
    if isinstance(value, int):
        return not shared.is_path and value <= len(writing)
    texts = " ".join(unparse(case.node) for case in writing)
    parts = list(value) if isinstance(value, (list, tuple, set, dict)) else [value]
    return all(repr(part) in texts for part in parts)
