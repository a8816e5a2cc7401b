from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.source import SourceFile
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import is_assertion, outermost_function

_MAKING = LazyPattern(r"^_*([A-Z]\w*[a-z]|(create|make|build|new|open)_\w+)$")
_NO_STATE = LazyPattern(
    r"(?i)mock|patch|fake|client|logger|runner|faker|parser|engine|app$|path$|schema|regex|pattern|template|"
    r"serializer|formatter|validator|settings|config|decimal|fraction|date|time|version|uuid|url|enum|typevar"
)
"""Names of objects that are shared without state, or are not part of the code under test."""
_ADDING = LazyPattern(
    r"^(add|append|insert|push|put|register|unregister|remove|delete|pop|set|store|save|create|enqueue|subscribe|"
    r"connect|deposit|withdraw|increment|update|discard|open|close|move|rename|mark|assign|cancel)(_\w+)?$"
)


_DOING = LazyPattern(
    r"\.(add|append|insert|push|put|register|set|connect|subscribe|open|create|store|enqueue)"
)
_UNDOING = LazyPattern(
    r"\bfinally:|\.(remove|unregister|delete|pop|disconnect|unsubscribe|discard|close)\w*\(|\bdel "
)
"""Patterns of a test that removes what it stored."""


class StateSharedByTests(PythonTestCheck):
    """The tests of a module share one object, and one test reads what another stored in it.

    The object is created once, when the module is imported. On its own, in another order or on another worker
    the second test finds another state. Create the object in a fixture for each test.
    """

    ID = "TE038"
    NAME = "state-shared-by-tests"
    DEFECT_CLASS = "order-dependent-tests"
    VALID = [
        code("""
            box = Box()
            def test_add():
                box.add('a')
                assert box.names() == ['a']
            def test_add_two():
                other = Box()
                assert other.names() == []
        """),
        code("""
            box = Box()
            def test_add():
                assert box.add('a') == 1
            def test_size():
                assert box.size(3) == 3
        """),
    ]
    INVALID = [
        code("""
            from box import Box
            «box = Box()»
            def test_add():
                box.add('a')
                assert box.names() == ['a']
            def test_remove():
                box.remove('a')
                assert box.names() == []
        """),
        code("""
            from box import make_box
            «box = make_box(3)»
            def test_empty():
                assert not box.names
            def test_add():
                box.add('a')
                assert 'a' in box.names
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "def test" in source.text and " = " in source.text

    def visit_Module(self, node: ast.Module) -> None:
        tests = self.module.tests
        for name, statement in _created_objects(node.body) if len(tests) > 1 else ():
            self._report_shared_state(name, statement, tests)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        tests = self.module.tests_in(node)
        for name, statement in _created_objects(node.body) if len(tests) > 1 else ():
            self._report_shared_state(f"self.{name}", statement, tests)

    def _report_shared_state(self, name: str, statement: ast.stmt, tests: Sequence[TestCase]) -> None:
        changing = [case for case in tests if self._mutates_object(case, name)]
        if not changing or self._is_handled_elsewhere(name, tests):
            return
        for case in tests:
            others = [writer for writer in changing if writer is not case]
            if others and self._depends_on(name, case):
                text = f'"{case.name}" reads what "{others[0].name}" stored in {name}; use a fixture'
                self.report(self.module.span(statement), text)
                return

    def _depends_on(self, name: str, case: TestCase) -> bool:
        return self._asserts_content(case, name) and not self._replaces_object(case, name)

    def _mutates_object(self, case: TestCase, name: str) -> bool:
        """Return True if a test calls a mutating method of the object as a statement."""
        text = self.module.text_of(case.node)
        if _UNDOING.search(text) and _DOING.search(text):
            return False
        return any(
            isinstance(node, ast.Expr)
            and (call := _call_of(node)) is not None
            and unparse(call.func.value) == name  # type: ignore[attr-defined]
            and _ADDING.match(call.func.attr) is not None  # type: ignore[attr-defined]
            for node in self.module.nodes_of(case)
        )

    def _asserts_content(self, case: TestCase, name: str) -> bool:
        """Return True if a test asserts the content of the object, without arguments to search for."""
        for assertion in self.module.nodes_of(case):
            if not isinstance(assertion, (ast.Assert, ast.Call)) or not is_assertion(assertion):
                continue
            for node in walk(assertion):
                if not isinstance(node, ast.Attribute) or unparse(node.value) != name:
                    continue
                if not self._is_search(node):
                    return True
        return False

    def _is_search(self, method: ast.Attribute) -> bool:
        """Return True if an attribute is called with arguments."""
        parent = self.module.parents[method]
        return isinstance(parent, ast.Call) and parent.func is method and bool(parent.args)

    def _replaces_object(self, case: TestCase, name: str) -> bool:
        """Return True if the first step of a test that uses the object gives it a new value."""
        uses = [n for n in self.module.nodes_of(case) if isinstance(n, ast.expr) and unparse(n) == name]
        first = min(uses, key=lambda n: (n.lineno, n.col_offset), default=None)
        method = self.module.parents[first] if first is not None else None
        return isinstance(method, ast.Attribute) and method.attr == "set"

    def _is_handled_elsewhere(self, name: str, tests: Sequence[TestCase]) -> bool:
        """Return True if code other than the tests handles the object, or a test recreates it."""
        own = {case.node for case in tests}
        for node in self.module.names.references(name.rpartition(".")[2]):
            if unparse(node) != name:
                continue
            function = outermost_function(self.module, node)
            if isinstance(node.ctx, ast.Store) and function is not None:
                return True
            if function is not None and function not in own:
                return True
            parent = self.module.parents[node]
            if isinstance(parent, ast.Attribute) and parent.attr in ("clear", "reset", "flush", "truncate"):
                return True
        return False


def _call_of(node: ast.Expr) -> ast.Call | None:
    value = node.value.value if isinstance(node.value, ast.Await) else node.value
    return value if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else None


def _created_objects(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the objects that a module or class creates and names."""
    for statement in body:
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or not isinstance(
            statement.value, ast.Call
        ):
            continue
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        constructor = unparse(statement.value.func).rpartition(".")[2]
        if (
            isinstance(target, ast.Name)
            and _MAKING.match(constructor)
            and not _NO_STATE.search(f"{constructor} {target.id}")
        ):
            yield target.id, statement
