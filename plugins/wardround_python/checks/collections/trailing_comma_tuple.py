from __future__ import annotations

import ast

from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck


class TrailingCommaTuple(PythonCheck):
    """A trailing comma in an assignment makes the value a tuple.

    ``timeout = 30,`` is ``(30,)``: users of the value receive a tuple, which is always truthy. Remove the
    comma; if a tuple is intended, write the parentheses.
    """

    ID = "PY062"
    NAME = "trailing-comma-tuple"
    MATURITY = Maturity.PREVIEW
    PREFILTER = "wardround_python.prefilters:ends_in_a_comma"
    DEFECT_CLASS = "one-value-tuple"
    VALID = [
        code("""
            x = (1,)
        """),
        code("""
            x = f(
                1,
            )
        """),
    ]
    INVALID = [
        code("""
            def f(x):
                name = «x['name'],»
                return name
        """),
        code("""
            timeout = «30,»
        """),
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
            self.report(self.module.span(value), "trailing comma makes this a one-element tuple; remove it")
