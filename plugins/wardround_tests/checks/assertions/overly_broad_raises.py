from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import unparse
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.syntax import last_name, own_nodes

_RAISING = frozenset({"raises", "assertRaises"})
_MANY, _FEWEST = 3, 2
"""Number of steps above which it is unclear which one raises; fewer suffice for a builtin exception."""


class OverlyBroadRaises(PythonTestCheck):
    """A ``raises`` block contains several steps that may all raise.

    If a preparing step raises the same exception, the test passes without reaching the call under test, and
    nothing after the first raising step runs. Prepare before the block, keep only the call under test inside,
    and state the expected message with ``match``.
    """

    ID = "TE234"
    NAME = "overly-broad-raises"
    DEFECT_CLASS = "broad-raises-block"
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            import pytest
            def test_read(tmp_path):
                desk = Desk()
                desk.open(tmp_path)
                with pytest.raises(DeskError):
                    desk.read()
        """),
        code("""
            import pytest
            def test_read(tmp_path):
                with pytest.raises(DeskError, match='empty'):
                    desk = Desk()
                    desk.open(tmp_path)
                    desk.read()
        """),
    ]
    INVALID = [
        code("""
            import pytest
            def test_read(tmp_path):
                with «pytest.raises(DeskError)»:
                    desk = Desk()
                    desk.open(tmp_path)
                    desk.read()
        """),
        code("""
            class DeskTest(TestCase):
                def test_read(self):
                    with «self.assertRaises(ValueError)»:
                        path = make('a.csv')
                        rows = load(path)
                        check(rows)
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "aises(" in source.text

    def visit_With(self, node: ast.With) -> None:
        self._check_block(node)

    def visit_AsyncWith(self, node: ast.AsyncWith) -> None:
        self._check_block(node)

    def _check_block(self, node: ast.With | ast.AsyncWith) -> None:
        item = node.items[-1]
        call = item.context_expr
        if not isinstance(call, ast.Call) or last_name(call.func) not in _RAISING or call.keywords:
            return
        if item.optional_vars is not None or self.module.test_of(node) is None or not _is_steps(node.body):
            return
        if _repeats_single_call(node.body):
            text = "only the first of these calls runs: the exception ends the block; split it"
            self.report(self.module.span(call), text)
        elif len(node.body) >= _MANY or _expects_builtin_exception(call):
            text = "any of these steps may raise; keep only the call under test in the block"
            self.report(self.module.span(call), text)


def _expects_builtin_exception(call: ast.Call) -> bool:
    """Return True if a ``raises`` block expects a built-in exception."""
    return bool(call.args) and hasattr(builtins, unparse(call.args[0]))


def _call_of(statement: ast.stmt) -> ast.Call | None:
    """Return the call of a statement."""
    value = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    value = value.value if isinstance(value, ast.Await) else value
    return value if isinstance(value, ast.Call) else None


def _is_assertion(statement: ast.stmt) -> bool:
    call = _call_of(statement)
    return call is not None and "assert" in last_name(call)


def _is_step(statement: ast.stmt) -> bool:
    """Return True if a statement is a simple one with a call."""
    if not isinstance(statement, (ast.Expr, ast.Assign)):
        return False
    return any(isinstance(node, ast.Call) for node in own_nodes([statement]))


def _is_steps(body: Sequence[ast.stmt]) -> bool:
    """Return True if a block consists of several steps without an assertion."""
    return len(body) >= _FEWEST and all(map(_is_step, body)) and not any(map(_is_assertion, body))


def _repeats_single_call(body: Sequence[ast.stmt]) -> bool:
    calls = {unparse(call.func) for call in map(_call_of, body) if call is not None}
    return len(calls) == 1 and all(isinstance(statement, ast.Expr) for statement in body)
