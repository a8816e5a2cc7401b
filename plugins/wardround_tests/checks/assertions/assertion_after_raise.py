from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from wardround.checks.source import SourceFile
from wardround.languages.python.tree import unparse
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.syntax import is_certain_assertion, last_name, own_nodes

_RAISING = frozenset(
    {"raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp", "assertRaisesMessage"}
)


class AssertionAfterRaise(PythonTestCheck):
    """An assertion follows the raising call inside a ``raises`` block.

    The call raises, which ends the block, so the assertion never runs and may be wrong. Move it after the
    ``with`` block.
    """

    ID = "TE022"
    NAME = "assertion-after-raise"
    DEFECT_CLASS = "conditional-assertion"
    VALID = [
        code("""
            import pytest
            def test_add():
                with pytest.raises(TypeError) as caught:
                    add(1, 'a')
                assert caught.value.args
        """),
        code("""
            import pytest
            def test_add():
                with pytest.raises(AssertionError):
                    a = add(1)
                    assert a == 2
        """),
    ]
    INVALID = [
        code("""
            import pytest
            async def test_add(log):
                with pytest.raises(TypeError, match='a'):
                    await add(1, 'a')
                    «log.write.assert_called_once_with('a')»
        """),
        code("""
            import pytest
            def test_add():
                with pytest.raises(TypeError) as caught:
                    add(1, 'a')
                    «assert caught.value.args == ('a',)»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "aises" in source.text

    def visit_With(self, node: ast.With) -> None:
        self._check_block(node)

    def visit_AsyncWith(self, node: ast.AsyncWith) -> None:
        self._check_block(node)

    def _check_block(self, node: ast.With | ast.AsyncWith) -> None:
        calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
        raising = [call for call in calls if last_name(call.func) in _RAISING]
        if not raising or self.module.test_of(node) is None or _may_be_assertion(raising[0]):
            return
        assertion = _trailing_assertion(node.body)
        if assertion is not None:
            text = "assertion never runs: the expected exception ends the block; move it after the with block"
            self.report(self.module.span(assertion), text)


def _may_be_assertion(call: ast.Call) -> bool:
    """Return True if the expected exception may be the failure of the assertion itself."""
    kinds = unparse(call.args[0]) if call.args else ""
    return (
        not kinds
        or re.search(r"Assertion|BaseException|\bFailed\b|failureException", kinds) is not None
        or kinds == "Exception"
    )


def _is_assertion(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assert):
        return not isinstance(statement.test, ast.Constant)
    call = statement.value if isinstance(statement, ast.Expr) else None
    is_method = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    return is_method and is_certain_assertion(call) and last_name(call).startswith("assert")  # type: ignore[arg-type]


def _contains_call(statement: ast.stmt) -> bool:
    return any(isinstance(n, (ast.Call, ast.Await)) for n in own_nodes([statement]))


def _trailing_assertion(body: Sequence[ast.stmt]) -> ast.stmt | None:
    """Return the first of the assertions that end a block after a call; None if there are none."""
    first = next((index for index, statement in enumerate(body) if _is_assertion(statement)), 0)
    if first == 0 or not all(map(_is_assertion, body[first:])) or not any(map(_contains_call, body[:first])):
        return None
    return body[first]
