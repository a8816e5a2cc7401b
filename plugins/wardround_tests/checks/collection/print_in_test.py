"""TE029."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase

_PRINTS = frozenset({"pprint.pprint", "pprint.pp", "rich.print", "sys.stdout.write", "icecream.ic"})
_CAUGHT = LazyPattern(
    r"capsys|capfd|capsysbinary|redirect_std|sys\.std(out|err)\s*=|builtins\.print|__main__|StringIO"
)


class PrintInTest(PythonTestCheck):
    """A test prints, and nobody reads it.

    Output of a test that passes is swallowed or in the way; what should hold belongs in an assertion, and
    what helps to understand a failure in its message.
    """

    ID = "TE029"
    NAME = "print-in-test"
    DEFECT_CLASS = "redundant-print"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "583,000 lines of tests of 24 projects, celery, apprise, aiohttp and redash among them: 24 "
        "hits, 8 read: all prints left in, 1 to explain a failure, which is left alone now; info."
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "def test_a(capsys):\n    print('a')\n    assert capsys.readouterr().out\n", path="test_case.py"
        ),
        Valid(
            "def test_a():\n    def job():\n        print('a')\n    assert run(job)\n", path="test_case.py"
        ),
        Valid("def test_a(tmp):\n    print('a', file=tmp)\n    assert run(tmp)\n", path="test_case.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("def test_a():\n    got = run()\n    print('GOT', got)\n    assert got\n", line=3, column=5,
                path="test_case.py"),
        Invalid(
            "from pprint import pprint\nclass RunTest(TestCase):\n    def test_a(self):\n"
            "        pprint(run())\n"
            "        self.assertTrue(run())\n",
            line=4,
            column=9,
            path="test_case.py",
        ),
        Invalid("def test_a():\n    for got in run():\n        print(got)\n"
                "        assert got\n", line=3, column=9,
                path="test_case.py"),
    ]  # fmt: skip

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        text = source.text
        return ("print(" in text or "stdout.write" in text) and _CAUGHT.search(text) is None

    def look_at(self, case: TestCase) -> None:
        for node in self.module.own(case):
            call = node.value if isinstance(node, ast.Expr) else None
            if not isinstance(call, ast.Call) or any(k.arg == "file" for k in call.keywords):
                continue
            if any(isinstance(one, ast.ExceptHandler) for one in self.module.ancestors(call)):
                continue  # what helps to understand a failure
            is_print = isinstance(call.func, ast.Name) and call.func.id == "print"
            if is_print or self.module.imported_name(call.func) in _PRINTS:
                self.report(self.module.span(call), "a print left in a test: assert what should hold")
                return
