"""Columns declared with SQLAlchemy, in migrations and in models, as SQL."""

from __future__ import annotations

import ast

from wardround_sql.frontends.python_code import SqlModule
from wardround_sql.frontends.python_scopes import callee_name
from wardround_sql.frontends.string_assembly import quote_identifier

_TYPES = {"Integer": "integer", "BigInteger": "bigint", "SmallInteger": "smallint", "String": "text",
          "Unicode": "text", "Text": "text", "UnicodeText": "text", "VARCHAR": "text", "CHAR": "text",
          "Float": "double precision", "FLOAT": "double precision", "Double": "double precision",
          "DOUBLE": "double precision", "DOUBLE_PRECISION": "double precision", "REAL": "real",
          "Boolean": "boolean", "BOOLEAN": "boolean", "DateTime": "timestamp", "Date": "date", "DATE": "date",
          "Time": "time", "Numeric": "numeric", "DECIMAL": "numeric", "NUMERIC": "numeric", "JSON": "json",
          "JSONB": "jsonb", "UUID": "uuid", "Uuid": "uuid", "TIMESTAMP": "timestamp", "INTEGER": "integer",
          "BIGINT": "bigint", "SMALLINT": "smallint", "TEXT": "text", "LargeBinary": "bytea",
          "Interval": "interval"}  # fmt: skip


def first_line(module: SqlModule, node: ast.expr) -> int:
    """Return the number of characters of a node on its first line."""
    start, end = module.place(node)
    return max(len(module.text[start:end].split("\n", 1)[0]), 1)


class DeclaredColumn:
    """Column of a table: its name, its SQL, whether it requests an index, its target and its location."""

    def __init__(self, name: str, head: str, indexed: bool) -> None:
        self.name = name
        self.head = head
        self.indexed = indexed
        self.reference = ""
        self.target: ast.expr | None = None

    @property
    def sql(self) -> str:
        return self.head + self.reference

    def refer_to(self, target: ast.Call) -> None:
        """Take the table of a ``ForeignKey(...)`` as the target, if it is named."""
        table = constant_text(target.args[0]).rsplit(".", 1)[0] if target.args else ""
        if table:
            self.reference = f" REFERENCES {quote_identifier(table)}{delete_action(keywords_of(target))}"
            self.target = target


def declared_column(node: ast.expr, name: str = "", typed: str = "") -> DeclaredColumn | None:
    """Return a ``Column(...)`` or ``mapped_column(...)``; None if it is not a plain column.

    ``name`` and ``typed`` come from the context, for calls that omit them.
    """
    if not isinstance(node, ast.Call) or callee_name(node) not in ("Column", "mapped_column"):
        return None
    arguments = list(node.args)
    if arguments and constant_text(arguments[0]):
        name = constant_text(arguments.pop(0))
    if not name:
        return None
    keywords = keywords_of(node)
    target = _foreign_key(arguments)
    default_type = typed or ("bigint" if target is not None else "text")
    kind = _type_argument(arguments, keywords)
    sql_type = type_sql(kind) if kind is not None else default_type
    head = f"{quote_identifier(name)} {sql_type}{_column_options(keywords, arguments)}"
    column = DeclaredColumn(name, head, _flag(keywords, "index") is True)
    if target is not None:
        column.refer_to(target)
    return column


def _foreign_key(arguments: list[ast.expr]) -> ast.Call | None:
    for argument in arguments:
        if isinstance(argument, ast.Call) and callee_name(argument) == "ForeignKey":
            return argument
    return None


def _type_argument(arguments: list[ast.expr], keywords: dict[str, ast.expr]) -> ast.expr | None:
    for argument in arguments:
        if is_type(argument):
            return argument
    return keywords.get("type_")


def _column_options(keywords: dict[str, ast.expr], arguments: list[ast.expr]) -> str:
    """Return NOT NULL, DEFAULT, PRIMARY KEY and UNIQUE of a column."""
    generators = ("Identity", "Computed", "Sequence")
    generated = any(
        isinstance(argument, ast.Call) and callee_name(argument) in generators for argument in arguments
    )
    filled = "server_default" in keywords or "autoincrement" in keywords or generated
    options = " NOT NULL" if _flag(keywords, "nullable") is False else ""
    options += " DEFAULT null" if filled else ""
    if _flag(keywords, "primary_key") is True:
        return options + " PRIMARY KEY"
    return options + (" UNIQUE" if _flag(keywords, "unique") is True else "")


def delete_action(keywords: dict[str, ast.expr]) -> str:
    text = constant_text(keywords.get("ondelete")).upper()
    return f" ON DELETE {text}" if text in ("CASCADE", "SET NULL", "RESTRICT") else ""


def is_type(node: ast.expr) -> bool:
    """Return True if an argument of a column is its type."""
    if isinstance(node, ast.Call):
        return callee_name(node) not in (
            "ForeignKey",
            "Identity",
            "Computed",
            "Sequence",
            "CheckConstraint",
            "FetchedValue",
        )
    return isinstance(node, (ast.Attribute, ast.Name))


def declared_type(node: ast.expr) -> str:
    """Return a type as SQL; empty if it is unknown."""
    named = node.func if isinstance(node, ast.Call) else node
    return type_sql(node) if getattr(named, "attr", getattr(named, "id", "")) in _TYPES else ""


def type_sql(node: ast.expr) -> str:
    """Return a type as SQL; ``text`` if it is unknown."""
    function = node.func if isinstance(node, ast.Call) else node
    name = getattr(function, "attr", getattr(function, "id", ""))
    if isinstance(node, ast.Call) and name in ("DateTime", "TIMESTAMP", "Time") and _has_zone(node):
        return "timestamptz"
    return _TYPES.get(name, "text")


def _has_zone(call: ast.Call) -> bool:
    """Return True if the type of a time is declared with a time zone, by position or by name."""
    flags = [keyword.value for keyword in call.keywords if keyword.arg == "timezone"]
    return any(getattr(flag, "value", None) is True for flag in (*call.args[:1], *flags))


def keywords_of(call: ast.Call) -> dict[str, ast.expr]:
    return {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}


def _flag(keywords: dict[str, ast.expr], name: str) -> object:
    return getattr(keywords.get(name), "value", None)


def constant_text(node: ast.expr | None) -> str:
    """Return the text of a constant, and the name in ``op.f("name")``."""
    if isinstance(node, ast.Call) and callee_name(node) == "f" and node.args:
        node = node.args[0]
    value = node.value if isinstance(node, ast.Constant) else ""
    return value if isinstance(value, str) else ""
