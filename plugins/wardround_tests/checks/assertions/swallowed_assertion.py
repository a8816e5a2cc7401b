"""TE014: assertions whose failure is caught."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.syntax import last_name, own_nodes

_CATCHING = frozenset({"AssertionError", "Exception", "BaseException"})
_REPORTING = LazyPattern(
    r"^(pprint|print|traceback\.print_\w+|warnings\.warn|sys\.std(out|err)\.write)$|"
    r"^(?i:_*(self\.)?_*(log|logging|logger))\.(debug|info|warn|warning|error|exception|critical|log)$"
)
"""Calls that report a failure and let the test pass."""
_QUIET = (ast.Pass, ast.Continue, ast.Return)


class SwallowedAssertion(PythonTestCheck):
    """An assertion is in a try block whose handler catches its failure and continues.

    AssertionError is an Exception, so the handler catches it and the test passes. Move the assertion out of
    the try block, or catch only the exceptions of the call.
    """

    ID = "TE014"
    NAME = "swallowed-assertion"
    MATURITY = Maturity.PREVIEW
    VALID = [
        code("""
            def test_add():
                try:
                    assert add(1, 2) == 3
                except ValueError:
                    pass
        """),
        code("""
            def test_add():
                try:
                    assert add(1, 2) == 3
                except Exception as e:
                    log(e)
                    raise
        """),
    ]
    INVALID = [
        code("""
            from contextlib import suppress
            def test_add():
                with «suppress(Exception)»:
                    assert add(1, 2) == 3
        """),
        code("""
            def test_add():
                try:
                    assert add(1, 2) == 3
                «except» Exception:
                    log.exception('add')
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "except" in source.text or "suppress" in source.text

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            call = item.context_expr
            if (
                not isinstance(call, ast.Call)
                or self.module.imported_name(call.func) != "contextlib.suppress"
            ):
                continue
            catches = any(last_name(kind) in _CATCHING for kind in call.args)
            if (
                catches
                and self.module.test_of(node) is not None
                and any(map(_is_own_assertion, own_nodes(node.body)))
            ):
                text = "suppress also catches the failed assertion, so the test passes; narrow the exception"
                self.report(self.module.span(call), text)

    def visit_Try(self, node: ast.Try) -> None:
        if self.module.test_of(node) is None or self._is_retried(node) or node.orelse:
            return
        if not any(_is_own_assertion(n) for n in own_nodes(node.body)):
            return
        for handler in node.handlers:
            if _catches_assertions(handler) and all(_is_quiet(s) for s in handler.body):
                text = "handler also catches the failed assertion, so the test passes; narrow the exception"
                self.report(self.module.keyword_span(handler, len("except")), text)
                return

    def _is_retried(self, node: ast.Try) -> bool:
        return any(isinstance(p, (ast.For, ast.While, ast.AsyncFor)) for p in self.module.ancestors(node))


def _is_own_assertion(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return not (isinstance(node.test, ast.Constant) and not node.test.value)
    return (
        isinstance(node, ast.Call)
        and last_name(node.func).startswith("assert")
        and isinstance(node.func, ast.Attribute)
    )


def _catches_assertions(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(last_name(kind) in _CATCHING for kind in kinds)


def _is_quiet(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        is_text = isinstance(statement.value, ast.Constant)
        is_reporting = isinstance(statement.value, ast.Call) and _REPORTING.search(
            unparse(statement.value.func)
        )
        return is_text or bool(is_reporting)
    return isinstance(statement, _QUIET)
