"""PY062."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_python.check import PythonCheck


class TrailingCommaTuple(PythonCheck):
    """A comma at the end of an assignment makes a tuple of the value.

    ``timeout = 30,`` is ``(30,)``: what takes the value gets a tuple, and a test of it is always true. Take
    the comma out; where a tuple is meant, write the parentheses.
    """

    ID = "PY062"
    NAME = "trailing-comma-tuple"
    PREFILTER = "wardround_python.prefilters:ends_in_a_comma"
    DEFECT_CLASS = "one-value-tuple"
    TRIED_ON = "twenty-three trees of 600,000 lines, tests left out: none, so only its cases speak for it"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "x = (1,)\n",
        "x = f(\n    1,\n)\n",
        "a, = f()\n",
        "def f():\n    return 1,\n",
        "x = 1, 2\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("def f(x):\n    name = x['name'],\n    return name\n", line=2, column=12),
        Invalid("timeout = 30,\n", line=1, column=11),
        Invalid(
            "class A:\n    def __init__(self, x):\n        self.x = f(x),\n        self.y = x\n",
            line=3,
            column=18,
        ),
    ]

    def visit_Assign(self, node: ast.Assign) -> None:
        value = node.value
        if not isinstance(value, ast.Tuple) or len(value.elts) != 1 or isinstance(value.elts[0], ast.Starred):
            return
        line = self.source.lines[value.lineno - 1].encode()
        if (
            line[value.col_offset : value.col_offset + 1] != b"("
            or value.elts[0].col_offset == value.col_offset
        ):
            self.report(self.module.span(value), "the comma makes this a tuple of one value")
