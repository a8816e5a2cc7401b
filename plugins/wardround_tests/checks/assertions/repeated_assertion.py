"""TE028."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.python.tree import walk
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import FUNCTIONS, TestCase, last_name

_PURE = frozenset(
    {
        "len", "str", "repr", "int", "float", "bool", "type", "sorted", "set", "list", "tuple", "dict",
        "isinstance", "sum", "min", "max", "all", "any", "abs", "round", "hasattr", "issubclass", "frozenset",
        "approx",
    }
)  # fmt: skip


class RepeatedAssertion(PythonTestCheck):
    """The same is asserted twice, and nothing happens in between.

    The second can only say what the first said. Most often it is a copy that was meant to ask for something
    else, which the test now does not ask for.
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

    def look_at(self, case: TestCase) -> None:
        for block in _blocks(case.node):
            self._look_at_block(block)

    def _look_at_block(self, block: Sequence[ast.stmt]) -> None:
        seen: dict[str, ast.stmt] = {}
        for statement in block:
            asserted = _asserted(statement)
            if asserted is None or not all(map(_is_still, asserted)) or any(map(_is_lazy, asserted)):
                seen = {}
                continue
            first = seen.setdefault(ast.dump(statement), statement)
            if first is statement:
                continue
            asks = any(isinstance(n, ast.Attribute) for one in asserted for n in walk(one))
            if not _is_of_keys(asserted) and statement.lineno == (first.end_lineno or first.lineno) + 1:
                continue  # asked twice on purpose: what is asked may be worked out once, and then be kept
            if self._is_told(first, statement):
                continue
            text = f"line {first.lineno} asserts the same, and nothing happens in between"
            self.report(self.module.span(statement), text, severity=Severity.INFO if asks else None)

    def _is_told(self, first: ast.stmt, second: ast.stmt) -> bool:
        """Return True if a comment between two assertions says why the second asks again."""
        lines = self.source.lines[(first.end_lineno or first.lineno) - 1 : second.end_lineno]
        return any("#" in line for line in lines)


def _is_of_keys(asserted: Sequence[ast.expr]) -> bool:
    """Return True if all that is asked for is what a mapping holds under a text."""
    nodes = [n for one in asserted for n in walk(one)]
    return any(isinstance(n, ast.Subscript) for n in nodes) and not any(
        isinstance(n, ast.Attribute) for n in nodes
    )


def _is_lazy(value: ast.expr) -> bool:
    """Return True if a value may be worked out when it is asked for: by a place in it, or as a private part."""
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
    """Every run of statements that a test executes one after another."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
            for statement in block:
                if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                    yield from _blocks(statement)


def _asserted(statement: ast.stmt) -> list[ast.expr] | None:
    """What a statement asserts; None if it is no plain assertion."""
    if isinstance(statement, ast.Assert):
        return [statement.test]
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        if call.func.attr.startswith("assert") and ast.unparse(call.func.value) == "self":
            return list(call.args)
        if call.func.attr.startswith("assert_"):
            return [call.func.value, *call.args]
    return None


def _is_still(value: ast.expr) -> bool:
    """Return True if looking at a value twice gives the same: it calls nothing that could change anything."""
    return not any(
        isinstance(n, (ast.Await, ast.NamedExpr, ast.Yield))
        or (isinstance(n, ast.Call) and last_name(n.func) not in _PURE)
        for n in walk(value)
    )
