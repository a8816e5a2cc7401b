"""TE017."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround_tests.check import PythonTestCheck

_METHODS = frozenset({"assertRaises", "assertWarns", "assertRaisesRegex", "assertWarnsRegex"})
_UNIT = "class TestAdd(TestCase):\n    def test_add(self):\n"


class RaisesNeverSeesCall(PythonTestCheck):
    """An assertion that something is raised never sees the call.

    Without ``with`` it is only prepared and never asked; given the result of a call, the call has already
    happened outside. Write it as a ``with`` block around the call.
    """

    ID = "TE017"
    NAME = "raises-never-sees-call"
    TRIED_ON = (
        "331,000 lines of tests of flask, httpx, urllib3, celery, pytest, aiohttp, pydantic: 2 hits, "
        "both in tests of pytest.raises itself, which are left alone now."
    )
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "assertion-not-made"
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "import pytest\ndef test_add():\n    with pytest.raises(TypeError):\n        add(1, 'a')\n",
            path="test_case.py",
        ),
        Valid(
            "import pytest\ndef test_add():\n    pytest.raises(TypeError, add, 1, 'a')\n", path="test_case.py"
        ),
        Valid(f"{_UNIT}        self.assertRaises(TypeError, add, 1, 'a')\n", path="test_case.py"),
        Valid(f"{_UNIT}        self.assertRaises(TypeError, lambda: add(1, 'a'))\n", path="test_case.py"),
        Valid(
            "import pytest\n@pytest.fixture\ndef failing():\n    return pytest.raises(TypeError)\n",
            path="test_case.py",
        ),
        Valid(f"{_UNIT}        self.assertRaises(TypeError, partial(add, 1, 'a'))\n", path="test_case.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import pytest\ndef test_add():\n    pytest.raises(TypeError)\n    add(1, 'a')\n",
            line=3,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            f"{_UNIT}        self.assertRaises(TypeError)\n        add(1, 'a')\n",
            line=3,
            column=9,
            path="test_case.py",
        ),
        Invalid(
            "import pytest\ndef test_add():\n    pytest.raises(TypeError, match='a')\n",
            line=3,
            column=5,
            path="test_case.py",
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "aises(" in source.text or "arns(" in source.text or "aisesRegex(" in source.text

    def visit_Expr(self, node: ast.Expr) -> None:
        call = node.value
        if not isinstance(call, ast.Call) or self.module.test_of(node) is None:
            return
        if any(isinstance(parent, ast.With) for parent in self.module.ancestors(node)):
            return  # it is itself what is tested
        is_pytest = self.module.imported_name(call.func) in ("pytest.raises", "pytest.warns")
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if not is_pytest and method not in _METHODS:
            return
        wanted = 2 if method.endswith("Regex") else 1
        names_callable = any(k.arg in ("callable", "func") for k in call.keywords)
        if len(call.args) <= wanted and call.args and not names_callable:
            name = "pytest.raises" if is_pytest else method
            self.report(self.module.span(call), f"{name} without with: it is never asked about a call")
