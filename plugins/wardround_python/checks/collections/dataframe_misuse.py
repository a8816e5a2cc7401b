"""PY080: dataframe misuse."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.languages.python.literals import is_true
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck


class DataframeMisuse(PythonCheck):
    """A pandas operation has no effect on the frame, or raises.

    Rows selected with ``frame[mask]`` are a copy, and a value set in the copy is lost; with
    ``inplace=True`` a method returns None; ``and`` between two columns raises ValueError; nothing equals
    None or NaN. Set values with ``frame.loc[mask, column] = ...``, combine conditions with ``&`` and
    parentheses, test with ``isna()``.
    """

    ID = "PY080"
    NAME = "dataframe-misuse"
    MATURITY = Maturity.PREVIEW
    WORDS = ("pandas", "polars")
    DEFECT_CLASS = "frame-mistake"
    VALID = [
        code("""
            import pandas as pd
            df.loc[df.a > 3, 'b'] = 1
        """),
        code("""
            import pandas as pd
            df.dropna(inplace=True)
        """),
    ]
    INVALID = [
        code("""
            import pandas as pd
            «df[df.a > 3]['b']» = 1
        """),
        code("""
            import pandas as pd
            df = «df.dropna(inplace=True)»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return source.keywords.has("pandas") and source.keywords.contains_any(
            ("inplace=True", "][", "[", "None]")
        )

    def visit_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Subscript):
            inner = target.value
            if isinstance(inner.slice, (ast.Compare, ast.BinOp, ast.UnaryOp)) and _reads_column(
                inner.slice, inner.value
            ):
                self.report(
                    self.module.span(target),
                    "this assigns to a copy of the selected rows; use .loc[rows, column]",
                )
        self._check_inplace(node.value)

    def visit_Return(self, node: ast.Return) -> None:
        self._check_inplace(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        condition = node.slice
        if isinstance(condition, ast.BoolOp) and any(
            _reads_column(one, node.value) for one in condition.values
        ):
            self.report(
                self.module.span(condition),
                "the truth value of a column is ambiguous; combine conditions with & and |",
            )
        elif (
            isinstance(condition, ast.Compare)
            and _reads_column(condition, node.value)
            and isinstance(condition.ops[0], (ast.Eq, ast.NotEq))
        ):
            other = condition.comparators[0]
            if (isinstance(other, ast.Constant) and other.value is None) or unparse(other) in (
                "np.nan",
                "pd.NA",
            ):
                self.report(self.module.span(condition), "nothing equals None or NaN; use isna() or notna()")

    def _check_inplace(self, call: ast.expr | None) -> None:
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return
        if any(keyword.arg == "inplace" and is_true(keyword.value) for keyword in call.keywords):
            self.report(
                self.module.span(call), "with inplace=True this returns None; drop inplace or the assignment"
            )


def _reads_column(condition: ast.expr, frame: ast.expr) -> bool:
    """Return True if a condition reads a column of the frame it selects from."""
    frame_text = unparse(frame)
    return any(
        isinstance(child, (ast.Attribute, ast.Subscript)) and unparse(child.value) == frame_text
        for child in walk(condition)
    )
