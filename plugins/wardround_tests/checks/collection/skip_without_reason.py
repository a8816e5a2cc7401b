from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.syntax import FUNCTIONS, last_name

_MARKS = frozenset({"pytest.mark.skip", "pytest.mark.xfail", "unittest.skip", "unittest.expectedFailure"})
_CALLS = frozenset({"pytest.skip", "pytest.xfail"})


_NO_REASON = LazyPattern(
    r"(?i)\W*((skip(ped|ping)?|disabled?|todo|fix ?me|wip|tbd|later|temp(orary|orarily)?|for now|"
    r"xfail|ignored?|"
    r"off|no|none|x+|broken|fails?|failing|does(n't| not) work|not working|this|test)\W*){0,3}"
)
"""Reasons that only repeat that the test does not run."""


class SkipWithoutReason(PythonTestCheck):
    """A test is skipped or expected to fail without a reason.

    Nobody knows when it can be enabled again, so its subject stays untested. State the reason, and the issue
    that resolves it if there is one.
    """

    ID = "TE012"
    NAME = "skip-without-reason"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "skipped-test"
    VALID = [
        code("""
            import pytest
            @pytest.mark.skip(reason='needs a GPU')
            def test_f():
                assert f()
        """),
        code("""
            import pytest
            @pytest.mark.skip('needs a GPU')
            def test_f():
                assert f()
        """),
    ]
    INVALID = [
        code("""
            import pytest
            @pytest.mark.parametrize('x', [1, pytest.param(2, marks=«pytest.mark.xfail»)])
            def test_f(x):
                assert f(x)
        """),
        code("""
            import pytest
            pytestmark = «pytest.mark.skip»
            def test_f():
                assert f()
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return any(word in source.text for word in ("skip", "xfail", "expectedFailure"))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check_marks(node.decorator_list)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check_marks(node.decorator_list)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._check_marks(node.decorator_list)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Check the marks of a module."""
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id == "pytestmark":
            value = node.value
            self._check_marks(value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value])

    def visit_keyword(self, node: ast.keyword) -> None:
        """Check the marks of one parameter set."""
        call = self.module.parents[node]
        if node.arg == "marks" and isinstance(call, ast.Call) and last_name(call.func) == "param":
            value = node.value
            self._check_marks(value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value])

    def visit_Call(self, node: ast.Call) -> None:
        name = self._skipping_name(node.func)
        if not name or not _has_no_reason(node) or self._has_comment(node):
            return
        if isinstance(self.module.function_of(node), FUNCTIONS):
            self.report(self.module.span(node), f"{name}() without a reason; state why and until when")

    def _skipping_name(self, function: ast.expr) -> str:
        """Return the name of a function that skips a test; empty for others."""
        name = self.module.imported_name(function)
        if name in _CALLS or name in ("skipTest", "unittest.SkipTest", "unittest.case.SkipTest"):
            return name or ""
        is_method = isinstance(function, ast.Attribute) and function.attr == "skipTest"
        return "skipTest" if name is None and is_method else ""

    def _check_marks(self, decorators: Sequence[ast.expr]) -> None:
        for decorator in decorators:
            name = self.module.imported_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
            if name in _MARKS and _has_no_reason(decorator) and not self._has_comment(decorator):
                expects = name.endswith(("xfail", "expectedFailure"))
                state = "expected to fail" if expects else "skipped"
                self.report(
                    self.module.span(decorator),
                    f"{state} without a reason; state why and until when",
                    severity=Severity.INFO if expects else None,
                )

    def _has_comment(self, node: ast.expr) -> bool:
        """Return True if there is a comment on the line or the line above."""
        lines = self.source.lines
        same_line = lines[(node.end_lineno or node.lineno) - 1]
        above = lines[node.lineno - 2] if node.lineno > 1 else ""
        return "#" in same_line or above.lstrip().startswith("#")


def _has_no_reason(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return True
    values = [*node.args, *(k.value for k in node.keywords)]
    return all(isinstance(value, ast.Constant) and _is_empty(value.value) for value in values)


def _is_empty(value: object) -> bool:
    """Return True if a reason adds nothing to the mark."""
    if isinstance(value, str):
        return _NO_REASON.fullmatch(value) is not None
    return value is None or value is False or value is True
