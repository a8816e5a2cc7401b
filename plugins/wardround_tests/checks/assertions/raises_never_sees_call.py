from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.rules.cases import code
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
        name = self._assertion_name(call)
        if name and _lacks_callable(call, 2 if name.endswith("Regex") else 1):
            text = f"{name} without a with block checks nothing; use with {name}(...)"
            self.report(self.module.span(call), text)

    def _assertion_name(self, call: ast.Call) -> str:
        """Return the name of an assertion that something is raised; empty for another call."""
        if self.module.imported_name(call.func) in ("pytest.raises", "pytest.warns"):
            return "pytest.raises"
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        return method if method in _METHODS else ""


def _lacks_callable(call: ast.Call, position: int) -> bool:
    """Return True if a call has arguments but none at the position or by the name of the callable."""
    names_callable = any(k.arg in ("callable", "func") for k in call.keywords)
    return bool(call.args) and len(call.args) <= position and not names_callable
