"""PY484: message contradicts condition."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.semantics.docdrift.checks import wrong_messages
from wardround_python.check import PythonCheck


class MessageContradictsCondition(PythonCheck):
    """An error message states another bound or subject than the condition it belongs to.

    A user who enters 20 characters, as the message requires, is rejected again, or searches for the fault
    in the wrong object. State the tested bound, ideally with the same constant.
    """

    ID = "PY484"
    NAME = "message-contradicts-condition"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "misleading-message"
    WORDS = ("raise", "rror", "abort", "fail")
    VALID = [
        code("""
            def check(n):
                if n > 40:
                    raise ValueError('n must be at most 40')
        """),
        code("""
            def check(n):
                if n >= 41:
                    raise ValueError('n must be at most 40')
        """),
    ]
    INVALID = [
        code("""
            def check(n):
                if n > 40:
                    raise ValueError('n must be at most «60»')
        """),
        code("""
            def check(n):
                if not 1 <= n <= 40:
                    raise ValueError('n must be «between 1 and 60»')
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and bool(wrong_messages(source))

    def visit_Module(self, node: ast.Module) -> None:
        for span, message in wrong_messages(self.source):
            self.report(span, message)
