"""PY080."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.source import SourceFile
from wardround.languages.python.literals import is_true
from wardround.languages.python.tree import walk
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
    WORDS = ("pandas", "polars")
    DEFECT_CLASS = "frame-mistake"
    TRIED_ON = "thirty-four trees of 600,000 lines, tests left out: none"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import pandas as pd\ndf.loc[df.a > 3, 'b'] = 1\n",
        "import pandas as pd\ndf.dropna(inplace=True)\n",
        "import pandas as pd\nx = df[(df.a > 3) & (df.b < 2)]\n",
        "import pandas as pd\nd[keys[0]]['b'] = 1\n",
        "import pandas as pd\nx = df[df.a.isna()]\n",
        "import pandas as pd\nrow = xs[a > 3 and b < 2]\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("import pandas as pd\ndf[df.a > 3]['b'] = 1\n", 2, 1),
        Invalid("import pandas as pd\ndf = df.dropna(inplace=True)\n", 2, 6),
        Invalid("import pandas as pd\nx = df[df['a'] > 3 and df['b'] < 2]\n", 2, 8),
        Invalid("import pandas as pd\nx = df[df['a'] == None]\n", 2, 8),
        Invalid("import pandas as pd\nimport numpy as np\nx = df[df.a == np.nan]\n", 3, 8),
        Invalid("import pandas as pd\ndef f(df):\n    return df.sort_values('a', inplace=True)\n", 3, 12),
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
