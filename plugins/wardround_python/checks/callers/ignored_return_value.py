from __future__ import annotations

import ast

from wardround.findings import SuggestedFix
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
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
"""Names of receivers whose methods return copies; other objects may have methods of the same names."""
_WORDS = tuple(f".{name}(" for name in sorted(_OF_TEXT | _OF_TABLE | _OF_QUERY | _OF_TIME | {"replace"}))


class IgnoredReturnValue(PythonCheck):
    """Return value of a method that returns a modified copy is ignored.

    Strings, datetimes, queries and data frames are not modified in place: ``name.strip()`` as a statement
    of its own has no effect. Assign the result.
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
            return  # called to find out if it raises
        message = f"{unparse(call.func)}() has no side effect and its result is ignored; assign it"
        self.report(self.module.span(call), message, self._assignment_fix(node, call))

    def _assignment_fix(self, node: ast.Expr, call: ast.Call) -> SuggestedFix | None:
        """Return the fix that assigns the result to the name of the receiver."""
        if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
            return None
        name = call.func.value.id
        return self.fix(node, lambda rewrite: rewrite.assign_to(node, name), f"assign the result to {name}")

    def _only_copies(self, call: ast.Call) -> bool:
        func = call.func
        if (self.module.qualified_name(func) or "") in _PLAIN:
            return not (isinstance(func, ast.Name) and func.id == "round") or len(call.args) == 2
        if not isinstance(func, ast.Attribute) or isinstance(func.value, ast.Call):
            return False
        if isinstance(func.value, ast.Name) and func.value.id in self.module.imported:
            return False
        return self._is_copying_method(call, func)

    def _is_copying_method(self, call: ast.Call, func: ast.Attribute) -> bool:
        if func.attr in _OF_TEXT or func.attr == "replace":
            return _copies_string(call, func)
        if func.attr in _OF_TIME:
            is_time = _NAMED_TIME.search(last_name(func.value)) is not None
            return is_time and (bool(call.args) or func.attr == "astimezone")
        return not any(k.arg == "inplace" for k in call.keywords) and self._copies_rows(call, func)

    def _copies_rows(self, call: ast.Call, func: ast.Attribute) -> bool:
        """Return True for a method of a data frame or query set that returns a copy."""
        name = last_name(func.value)
        if func.attr in _OF_TABLE:
            is_table = _NAMED_TABLE.search(name) is not None and self._imports_any(
                "pandas", "polars", "pyspark"
            )
            return is_table and bool(call.args or call.keywords or func.attr == "dropna")
        if func.attr in _OF_QUERY and isinstance(func.value, ast.Name) and _NAMED_ROWS.search(name):
            return self._imports_any("django", "sqlalchemy", "peewee", "flask_sqlalchemy", "tortoise")
        return False

    def _imports_any(self, *packages: str) -> bool:
        return any(name.partition(".")[0] in packages for name in self.module.imported.values())


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _copies_string(call: ast.Call, func: ast.Attribute) -> bool:
    """Return True for a method of a string that returns a copy."""
    is_literal = isinstance(func.value, (ast.Constant, ast.JoinedStr))
    if not is_literal and _NAMED_TEXT.search(last_name(func.value)) is None:
        return False
    if func.attr == "replace":
        return len(call.args) == 2 and all(map(_is_string, call.args))
    most = 0 if func.attr in _WITHOUT_ARGUMENTS else 1
    return len(call.args) <= most and not call.keywords
