"""PY041."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround_python.check import PythonCheck

_OF_TEXT = frozenset(
    """
    strip lstrip rstrip lower upper title capitalize casefold swapcase removeprefix removesuffix zfill
    expandtabs
    """.split()  # noqa: SIM905
)
_OF_TABLE = frozenset(
    [
        "dropna",
        "fillna",
        "drop_duplicates",
        "sort_values",
        "reset_index",
        "set_index",
        "astype",
        "rename",
        "drop",
        "assign",
        "with_columns",
    ]
)
_OF_QUERY = frozenset(
    {"filter", "exclude", "order_by", "filter_by", "where", "select_related", "prefetch_related", "distinct"}
)
_OF_TIME = frozenset({"astimezone", "quantize", "with_suffix", "with_name", "normalize"})
_PLAIN = frozenset(
    {
        "sorted",
        "reversed",
        "os.path.join",
        "copy.deepcopy",
        "copy.copy",
        "dataclasses.replace",
        "re.sub",
        "round",
    }
)
_WORDS = tuple(f".{name}(" for name in sorted(_OF_TEXT | _OF_TABLE | _OF_QUERY | _OF_TIME | {"replace"}))


class ResultDropped(PythonCheck):
    """A method that gives a changed copy is called, and the copy is dropped.

    Texts, times, queries and tables stay as they are: ``name.strip()`` on a line of its own does nothing.
    Give the result a name.
    """

    ID = "PY041"
    NAME = "result-dropped"
    WORDS = (*_WORDS, "sorted(", "reversed(", "deepcopy(", "path.join(", "re.sub(", "round(")
    DEFECT_CLASS = "result-dropped"
    TRIED_ON = (
        "twenty-three trees of 600,000 lines, tests left out: 2: a sorted() that sorts nothing, and a "
        "copy made to see whether it can be: half right"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def f(name):\n    name = name.strip()\n    return name\n",
        "import os\ndef f(path, to):\n    path.replace(to)\n",
        "def f(page):\n    page.filter(1)\n",
        "def f(frame):\n    import pandas\n    frame.dropna(inplace=True)\n",
        "def f(names):\n    try:\n        sorted(names)\n    except TypeError:\n        return False\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("def f(name):\n    name.strip()\n    return name\n", line=2, column=5),
        Invalid("def f(text):\n    text.replace(',', '.')\n    return float(text)\n", line=2, column=5),
        Invalid("def f(rows):\n    sorted(rows, key=len)\n    return rows\n", line=2, column=5),
        Invalid(
            "import pandas as pd\ndef f(frame):\n    frame.dropna(subset=['a'])\n    return frame\n",
            line=3,
            column=5,
        ),
        Invalid(
            "from django.db import models\ndef f(rows, shop):\n    if shop:\n        rows.filter(shop=shop)\n"
            "    return rows\n",
            line=4,
            column=9,
        ),
    ]

    def visit_Expr(self, node: ast.Expr) -> None:
        call = node.value
        if not isinstance(call, ast.Call) or not self._only_copies(call):
            return
        if any(
            isinstance(parent, (ast.Try, ast.With)) and node in parent.body
            for parent in [self.module.parents[node]]
        ):
            return  # called to see whether it can be
        self.report(
            self.module.span(call),
            f"{ast.unparse(call.func)}() changes nothing, and what it returns is dropped",
        )

    def _only_copies(self, call: ast.Call) -> bool:
        func = call.func
        if (self.module.dotted(func) or "") in _PLAIN:
            return not (isinstance(func, ast.Name) and func.id == "round") or len(call.args) == 2
        if not isinstance(func, ast.Attribute) or isinstance(func.value, ast.Call):
            return False
        if isinstance(func.value, ast.Name) and func.value.id in self.module.imported:
            return False
        if func.attr in _OF_TEXT:
            return len(call.args) <= 1 and not call.keywords
        if func.attr == "replace":
            return len(call.args) == 2 and all(_is_text(a) for a in call.args)
        if func.attr in _OF_TIME:
            return bool(call.args) or func.attr == "astimezone"
        if any(k.arg == "inplace" for k in call.keywords):
            return False
        if func.attr in _OF_TABLE:
            return self._knows("pandas", "polars", "pyspark") and bool(
                call.args or call.keywords or func.attr == "dropna"
            )
        if func.attr in _OF_QUERY and isinstance(func.value, ast.Name):
            return self._knows("django", "sqlalchemy", "peewee", "flask_sqlalchemy", "tortoise")
        return False

    def _knows(self, *packages: str) -> bool:
        return any(name.partition(".")[0] in packages for name in self.module.imported.values())


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
