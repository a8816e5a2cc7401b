"""PY041."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import SuggestedFix
from wardround.languages.python.module import last_name
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
_WITHOUT_ARGUMENTS = frozenset({"lower", "upper", "title", "capitalize", "casefold", "swapcase"})
_NAMED_TEXT = LazyPattern(
    r"(?i)(?:str|string|(?<!con)text|word|line|name|title|label|value|input|message|content|mail|ur[il]|path|key"
    r"|token|slug|html|code|id|phone|address|description|comment|part|prefix|suffix|host|domain|query"
    r"|(?:^|_)[st])\d*$"
)
_NAMED_ROWS = LazyPattern(r"(?i)(?:[a-rt-z]s|qs|quer(?:y|yset)|select|stmt|statement)\d*$")
_NAMED_TABLE = LazyPattern(r"(?i)(?:df|frame|data|table|series|column|index|[a-rt-z]s)\d*$")
_NAMED_TIME = LazyPattern(
    r"(?i)(?:at|time|date|dt|now|day|path|file|folder|amount|price|total|sum|value|decimal)\d*$"
)
"""Names of what a method of that name gives a copy of: others may have methods of the same names."""
_WORDS = tuple(f".{name}(" for name in sorted(_OF_TEXT | _OF_TABLE | _OF_QUERY | _OF_TIME | {"replace"}))


class IgnoredReturnValue(PythonCheck):
    """A method that gives a changed copy is called, and the copy is dropped.

    Texts, times, queries and tables stay as they are: ``name.strip()`` on a line of its own does nothing.
    Give the result a name.
    """

    ID = "PY041"
    NAME = "ignored-return-value"
    WORDS = (*_WORDS, "sorted(", "reversed(", "deepcopy(", "path.join(", "re.sub(", "round(")
    DEFECT_CLASS = "result-dropped"
    VALID = [
        code("""
            def f(name):
                name = name.strip()
                return name
        """),
        code("""
            import os
            def f(path, to):
                path.replace(to)
        """),
    ]
    INVALID = [
        code(
            """
            def f(name):
                «name.strip()»
                return name
            """,
            fixed="""
            def f(name):
                name = name.strip()
                return name
            """,
        ),
        code("""
            def f(text):
                «text.replace(',', '.')»
                return float(text)
        """),
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
        message = f"{ast.unparse(call.func)}() changes nothing, and what it returns is dropped"
        self.report(self.module.span(call), message, self._assigned(node, call))

    def _assigned(self, node: ast.Expr, call: ast.Call) -> SuggestedFix | None:
        """Return the fix that keeps the result under the name it was made from."""
        if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
            return None
        name = call.func.value.id
        return self.fix(node, lambda one: one.assigned(node, name), f"assign the result to {name}")

    def _only_copies(self, call: ast.Call) -> bool:
        func = call.func
        if (self.module.dotted(func) or "") in _PLAIN:
            return not (isinstance(func, ast.Name) and func.id == "round") or len(call.args) == 2
        if not isinstance(func, ast.Attribute) or isinstance(func.value, ast.Call):
            return False
        if isinstance(func.value, ast.Name) and func.value.id in self.module.imported:
            return False
        name = last_name(func.value)
        is_literal = isinstance(func.value, (ast.Constant, ast.JoinedStr))
        if func.attr in _OF_TEXT:
            most = 0 if func.attr in _WITHOUT_ARGUMENTS else 1
            is_text = is_literal or _NAMED_TEXT.search(name) is not None
            return is_text and len(call.args) <= most and not call.keywords
        if func.attr == "replace":
            is_text = is_literal or _NAMED_TEXT.search(name) is not None
            return is_text and len(call.args) == 2 and all(_is_text(a) for a in call.args)
        if func.attr in _OF_TIME:
            is_time = _NAMED_TIME.search(name) is not None
            return is_time and (bool(call.args) or func.attr == "astimezone")
        if any(k.arg == "inplace" for k in call.keywords):
            return False
        if func.attr in _OF_TABLE:
            is_table = _NAMED_TABLE.search(name) is not None and self._knows("pandas", "polars", "pyspark")
            return is_table and bool(call.args or call.keywords or func.attr == "dropna")
        if func.attr in _OF_QUERY and isinstance(func.value, ast.Name) and _NAMED_ROWS.search(name):
            return self._knows("django", "sqlalchemy", "peewee", "flask_sqlalchemy", "tortoise")
        return False

    def _knows(self, *packages: str) -> bool:
        return any(name.partition(".")[0] in packages for name in self.module.imported.values())


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
