"""PY447: quoted value in sql."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse
from wardround_python.check import PythonCheck

_TAKES = frozenset(
    {"text", "literal_column", "RawSQL", "raw", "execute", "executemany", "filter_by_sql", "where"}
)
_FORMAT = LazyPattern(r"'%?\{(?P<field>[^{}]*)\}%?'")
_PERCENT = LazyPattern(r"'(?:%%)?%(?:\((?P<field>\w+)\))?s(?:%%)?'")
_SQL = LazyPattern(
    r"(?i)\b(?:case\s+when|i?like|select|where|update|delete|insert|order by|having|between|set|and|or|on)\b"
    r"|=\s*'|\bin\s*\("
)
_SAFE = LazyPattern(r"(?i)escape|quote|sanit|isoformat|strftime|\bint\b|replace\(")


class QuotedValueInSql(PythonCheck):
    """A value is interpolated between the quotes of an SQL text.

    A value with a quote ends the string and can add SQL; one with an apostrophe breaks the statement. Bind it
    as a parameter: ``text("name = :name").bindparams(name=name)``.
    """

    ID = "PY447"
    WORDS = ("text(", "literal_column(", "RawSQL(", ".extra(")
    NAME = "quoted-value-in-sql"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "sql-injection"
    VALID = [
        code("""
            from sqlalchemy import text
            def first(name):
                return text("CASE WHEN name = :name THEN 0 END").bindparams(name=name)
        """),
        code("""
            from sqlalchemy import text
            KIND = 'a'
            first = text(f"kind = '{KIND}'")
        """),
    ]
    INVALID = [
        code("""
            from sqlalchemy import text
            def first(name):
                return text(«"CASE WHEN name = '{}' THEN 0 END".format(name)»)
        """),
        code("""
            from shop.database import db
            def near(query, name):
                return query.filter(db.text(«f"lower(name) like '{name}%'"»))
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        for given in self._pieces(node):
            text = self._text(given)
            value = None if text is None else _quoted(text)
            if text is not None and value is not None and not self._is_fixed(value):
                self.report(
                    self.module.span(text),
                    f"{unparse(value)} is interpolated between the quotes of SQL; bind it as a parameter",
                )

    def _pieces(self, node: ast.Call) -> Iterator[ast.expr]:
        name = last_name(node.func)
        if name == "extra" and isinstance(node.func, ast.Attribute):
            for keyword in node.keywords:
                if keyword.arg in ("where", "select", "order_by"):
                    value = keyword.value
                    yield from value.elts if isinstance(value, (ast.List, ast.Tuple)) else ()
                    yield from value.values if isinstance(value, ast.Dict) else ()
        elif name in ("text", "literal_column", "RawSQL") and node.args and self._is_of_database(node.func):
            yield node.args[0]

    def _is_of_database(self, func: ast.expr) -> bool:
        dotted = self.module.dotted(func) or ""
        if dotted.startswith(("sqlalchemy", "sqlmodel", "django")):
            return True
        return isinstance(func, ast.Attribute) and last_name(func.value) in ("db", "sa", "sqlalchemy")

    def _text(self, given: ast.expr) -> ast.expr | None:
        """Return an interpolated text, also through a name that is bound to it."""
        if isinstance(given, ast.Name):
            values = self.module.assigned.get(given.id, [])
            given = values[0] if len(values) == 1 else given
        return given if isinstance(given, (ast.JoinedStr, ast.Call, ast.BinOp)) else None

    def _is_fixed(self, value: ast.expr) -> bool:
        """Return True if a value is determined by the program itself, or is sanitized."""
        if isinstance(value, ast.Constant) or _SAFE.search(unparse(value)):
            return True
        last = last_name(value)
        return last.isupper() or (isinstance(value, ast.Attribute) and last == "value")


def _quoted_in_f_string(node: ast.JoinedStr) -> ast.expr | None:
    text = "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
    fields = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    pieces = text.split("\0")
    for index, field in enumerate(fields):
        if pieces[index].rstrip("%").endswith("'") and pieces[index + 1].lstrip("%").startswith("'"):
            return field.value if _SQL.search(text) else None
    return None


def _quoted(node: ast.expr) -> ast.expr | None:
    """Return the first value that a text puts between quotes, if the text is SQL."""
    if isinstance(node, ast.JoinedStr):
        return _quoted_in_f_string(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        template, pattern = node.func.value, _FORMAT
        positions, named = node.args, {k.arg: k.value for k in node.keywords}
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        template, pattern = node.left, _PERCENT
        positions = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        named = {}
    else:
        return None
    if not isinstance(template, ast.Constant) or not isinstance(template.value, str):
        return None
    match = pattern.search(template.value)
    if match is None or not _SQL.search(template.value):
        return None
    return named.get(match["field"]) or (positions[0] if positions else None)
