"""TE017: ``raises`` assertions without a ``with`` block."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck

_METHODS = frozenset({"assertRaises", "assertWarns", "assertRaisesRegex", "assertWarnsRegex"})


class RaisesNeverSeesCall(PythonTestCheck):
    """A ``raises`` assertion never runs the call.

    Without ``with`` or a callable, the assertion is created and discarded; if it receives the result of a
    call, the call has already happened outside. Use a ``with`` block around the call.
    """

    ID = "TE017"
    NAME = "raises-never-sees-call"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "assertion-not-made"
    VALID = [
        code("""
            import pytest
            def test_add():
                with pytest.raises(TypeError):
                    add(1, 'a')
        """),
        code("""
            import pytest
            def test_add():
                pytest.raises(TypeError, add, 1, 'a')
        """),
    ]
    INVALID = [
        code("""
            import pytest
            def test_add():
                «pytest.raises(TypeError)»
                add(1, 'a')
        """),
        code("""
            class TestAdd(TestCase):
                def test_add(self):
                    «self.assertRaises(TypeError)»
                    add(1, 'a')
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "aises(" in source.text or "arns(" in source.text or "aisesRegex(" in source.text

    def visit_Expr(self, node: ast.Expr) -> None:
        call = node.value
        if not isinstance(call, ast.Call) or self.module.test_of(node) is None:
            return
        if any(isinstance(parent, ast.With) for parent in self.module.ancestors(node)):
            return  # the assertion itself is under test
        is_pytest = self.module.imported_name(call.func) in ("pytest.raises", "pytest.warns")
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if not is_pytest and method not in _METHODS:
            return
        expected_arguments = 2 if method.endswith("Regex") else 1
        names_callable = any(k.arg in ("callable", "func") for k in call.keywords)
        if len(call.args) <= expected_arguments and call.args and not names_callable:
            name = "pytest.raises" if is_pytest else method
            self.report(
                self.module.span(call), f"{name} without a with block checks nothing; use with {name}(...)"
            )
