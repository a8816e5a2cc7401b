from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase

_PRINTS = frozenset({"pprint.pprint", "pprint.pp", "rich.print", "sys.stdout.write", "icecream.ic"})
_CAPTURED = LazyPattern(
    r"capsys|capfd|capsysbinary|redirect_std|sys\.std(out|err)\s*=|builtins\.print|__main__|StringIO"
)


class PrintInTest(PythonTestCheck):
    """A test prints output that is not checked.

    Output of a passing test is captured or clutters the log; conditions belong in an assertion, and
    diagnostic values in its message.
    """

    ID = "TE029"
    NAME = "print-in-test"
    DEFECT_CLASS = "redundant-print"
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            def test_a(capsys):
                print('a')
                assert capsys.readouterr().out
        """),
        code("""
            def test_a():
                def job():
                    print('a')
                assert run(job)
        """),
    ]
    INVALID = [
        code("""
            def test_a():
                got = run()
                «print('GOT', got)»
                assert got
        """),
        code("""
            from pprint import pprint
            class RunTest(TestCase):
                def test_a(self):
                    «pprint(run())»
                    self.assertTrue(run())
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        text = source.text
        return ("print(" in text or "stdout.write" in text) and _CAPTURED.search(text) is None

    def check_test(self, case: TestCase) -> None:
        for node in self.module.nodes_of(case):
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and self._is_print(call) and not self._is_diagnostic(call):
                self.report(self.module.span(call), "print in a test; assert the condition instead")
                return

    def _is_print(self, call: ast.Call) -> bool:
        if any(k.arg == "file" for k in call.keywords):
            return False
        is_builtin = isinstance(call.func, ast.Name) and call.func.id == "print"
        return is_builtin or self.module.imported_name(call.func) in _PRINTS

    def _is_diagnostic(self, call: ast.Call) -> bool:
        """Return True if a call is in an exception handler, where it helps to diagnose a failure."""
        return any(isinstance(ancestor, ast.ExceptHandler) for ancestor in self.module.ancestors(call))
