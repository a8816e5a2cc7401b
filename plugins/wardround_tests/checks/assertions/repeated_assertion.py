from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.findings import Severity
from wardround.languages.python.tree import unparse, walk
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS, last_name

_PURE = frozenset(
    {
        "len", "str", "repr", "int", "float", "bool", "type", "sorted", "set", "list", "tuple", "dict",
        "isinstance", "sum", "min", "max", "all", "any", "abs", "round", "hasattr", "issubclass", "frozenset",
        "approx",
    }
)  # fmt: skip


class RepeatedAssertion(PythonTestCheck):
    """An assertion is repeated, and nothing happens in between.

    The second one adds nothing. Usually it is a copy that should assert something else, which the test
    therefore does not check. Correct or remove it.
    """

    ID = "TE028"
    NAME = "repeated-assertion"
    DEFECT_CLASS = "duplicate-assert"
    VALID = [
        code("""
            def test_user():
                user = load()
                assert user.name == 'a'
                assert user.mail == 'a'
        """),
        code("""
            def test_user():
                user = load()
                assert user.name == 'a'
                user.save()
                assert user.name == 'a'
        """),
    ]
    INVALID = [
        code("""
            def test_user():
                user = load()
                assert user.name == 'a'
                assert user.mail == 'b'
                «assert user.name == 'a'»
        """),
        code("""
            class UserTest(TestCase):
                def test_user(self):
                    self.assertEqual(self.got['a'], 1)
                    self.assertIn('b', self.got)
                    «self.assertEqual(self.got['a'], 1)»
        """),
    ]

    def check_test(self, case: TestCase) -> None:
        for block in _blocks(case.node):
            self._check_block(block)

    def _check_block(self, block: Sequence[ast.stmt]) -> None:
        seen: dict[str, ast.stmt] = {}
        for statement in block:
            asserted = _asserted_expressions(statement)
            if asserted is None or not all(map(_is_pure, asserted)) or any(map(_is_lazy, asserted)):
                seen = {}
                continue
            first = seen.setdefault(ast.dump(statement), statement)
            if first is not statement and not self._is_intended(first, statement, asserted):
                self._report(first, statement, asserted)

    def _is_intended(self, first: ast.stmt, second: ast.stmt, asserted: Sequence[ast.expr]) -> bool:
        """Return True if a repetition may verify that a value is cached, or is explained."""
        is_adjacent = second.lineno == (first.end_lineno or first.lineno) + 1
        return (is_adjacent and not _reads_only_keys(asserted)) or self._is_explained(first, second)

    def _report(self, first: ast.stmt, second: ast.stmt, asserted: Sequence[ast.expr]) -> None:
        reads_attribute = any(
            isinstance(n, ast.Attribute) for expression in asserted for n in walk(expression)
        )
        text = f"assertion repeats line {first.lineno} with no step in between; correct or remove it"
        self.report(self.module.span(second), text, severity=Severity.INFO if reads_attribute else None)

    def _is_explained(self, first: ast.stmt, second: ast.stmt) -> bool:
        """Return True if a comment between two assertions explains the repetition."""
        lines = self.source.lines[(first.end_lineno or first.lineno) - 1 : second.end_lineno]
        return any("#" in line for line in lines)


def _reads_only_keys(asserted: Sequence[ast.expr]) -> bool:
    """Return True if only values of a mapping are asserted."""
    nodes = [n for expression in asserted for n in walk(expression)]
    return any(isinstance(n, ast.Subscript) for n in nodes) and not any(
        isinstance(n, ast.Attribute) for n in nodes
    )


def _is_lazy(value: ast.expr) -> bool:
    """Return True if a value may be computed lazily: by index, or as a private attribute."""
    return any(
        (
            isinstance(n, ast.Subscript)
            and isinstance(n.slice, ast.Constant)
            and isinstance(n.slice.value, int)
        )
        or (isinstance(n, ast.Attribute) and n.attr.startswith("_"))
        for n in walk(value)
    )


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield every sequence of statements that a test executes one after another."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
            for statement in block:
                if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                    yield from _blocks(statement)


def _asserted_expressions(statement: ast.stmt) -> list[ast.expr] | None:
    """Return the asserted expressions of a statement; None if it is not a plain assertion."""
    if isinstance(statement, ast.Assert):
        return [statement.test]
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        if call.func.attr.startswith("assert") and unparse(call.func.value) == "self":
            return list(call.args)
        if call.func.attr.startswith("assert_"):
            return [call.func.value, *call.args]
    return None


def _is_pure(value: ast.expr) -> bool:
    """Return True if evaluating an expression twice has no side effects."""
    return not any(
        isinstance(n, (ast.Await, ast.NamedExpr, ast.Yield))
        or (isinstance(n, ast.Call) and last_name(n.func) not in _PURE)
        for n in walk(value)
    )
