"""PY080."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.languages.python.literals import is_true
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck


class DataframeMisuse(PythonCheck):
    """Something is done to a data frame that does not reach it, or that pandas refuses.

    Rows picked with ``frame[mask]`` are a copy, and what is set in the copy is lost; with
    ``inplace=True`` a method gives None; ``and`` between two columns raises ValueError; nothing equals
    None or NaN. Set with ``frame.loc[mask, column] = ...``, combine with ``&`` and parentheses, ask
    ``isna()``.
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
            if isinstance(inner.slice, (ast.Compare, ast.BinOp, ast.UnaryOp)) and _asks(
                inner.slice, inner.value
            ):
                self.report(
                    self.module.span(target),
                    "this sets a value in a copy of the rows: use .loc[rows, column]",
                )
        self._look_at(node.value)

    def visit_Return(self, node: ast.Return) -> None:
        self._look_at(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        asked = node.slice
        if isinstance(asked, ast.BoolOp) and any(_asks(one, node.value) for one in asked.values):
            self.report(
                self.module.span(asked), "of a column there is no true or false: combine with & and |"
            )
        elif (
            isinstance(asked, ast.Compare)
            and _asks(asked, node.value)
            and isinstance(asked.ops[0], (ast.Eq, ast.NotEq))
        ):
            other = asked.comparators[0]
            if (isinstance(other, ast.Constant) and other.value is None) or ast.unparse(other) in (
                "np.nan",
                "pd.NA",
            ):
                self.report(self.module.span(asked), "nothing equals None or NaN: ask isna() or notna()")

    def _look_at(self, made: ast.expr | None) -> None:
        if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Attribute):
            return
        if any(one.arg == "inplace" and is_true(one.value) for one in made.keywords):
            self.report(self.module.span(made), "with inplace=True this gives None")


def _asks(asked: ast.expr, frame: ast.expr) -> bool:
    """Whether a condition speaks of a column of the frame it picks from."""
    told = ast.unparse(frame)
    return any(
        isinstance(one, (ast.Attribute, ast.Subscript)) and ast.unparse(one.value) == told
        for one in walk(asked)
    )
