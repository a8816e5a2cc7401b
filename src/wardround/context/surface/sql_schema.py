"""Database schemas: objects that migrations drop, rename or restrict, for users of the database."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from wardround.context.surface.model import SurfaceChange, SurfaceKind
from wardround.context.surface.packages import UNPUBLISHED
from wardround.context.surface.sides import Sides
from wardround.languages.python.tree import parse
from wardround.lazy import LazyPattern

KIND = SurfaceKind.SQL_SCHEMA
_NAME = r"(?:[\"`\[]?\w+[\"`\]]?\.)?[\"`\[]?(\w+)[\"`\]]?"
_ALTER = LazyPattern(rf"(?is)\balter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?{_NAME}\s+([^;]*)")
_DROP_TABLE = LazyPattern(rf"(?i)\bdrop\s+(?:table|(?:materialized\s+)?view)\s+(?:if\s+exists\s+)?{_NAME}")
_CREATED = LazyPattern(
    rf"(?i)\bcreate\s+(?:or\s+replace\s+)?[a-z ]*?(?:table|view)\s+(?:if\s+not\s+exists\s+)?{_NAME}"
)
_RENAMED_TO = LazyPattern(rf"(?i)\brename\s+to\s+{_NAME}")
_COLUMN = r"[\"`\[]?(\w+)[\"`\]]?"
_NO_COLUMN = r"(?!(?:constraint|index|primary|foreign|default|not|check|key|if|expression|identity|to)\b)"
_CLAUSES = (
    (LazyPattern(rf"(?i)\bdrop\s+(?:column\s+)?(?:if\s+exists\s+)?{_NO_COLUMN}{_COLUMN}"), "is removed"),
    (LazyPattern(rf"(?i)\brename\s+(?:column\s+)?{_NO_COLUMN}{_COLUMN}\s+to\b"), "is renamed"),
    (LazyPattern(rf"(?i)\balter\s+(?:column\s+)?{_COLUMN}\s+set\s+not\s+null"), "rejects null"),
)
_ADDED = LazyPattern(rf"(?i)\badd\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?{_NO_COLUMN}{_COLUMN}\s+([^;]*)")
_NOT_NULL = LazyPattern(r"(?i)\bnot\s+null\b")
_FILLED = LazyPattern(r"(?i)\b(?:default|generated|serial|bigserial|identity|auto_increment)\b")
_RENAME = LazyPattern(r"(?i)^\s*rename\s+to\b")
_DOWN = LazyPattern(r"(?i)(^|[/._-])(down|rollback|undo|revert)([/._-]|$)")
_DOWN_SECTION = LazyPattern(r"(?im)^\s*--\s*(?:\+\w+\s+)?(?:migrate:)?down\b")
_COMMENT = LazyPattern(r"--[^\n]*")
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class _Statement(NamedTuple):
    """A change of a table, or of a column as ``table.column``."""

    line: int
    name: str
    detail: str


def compare(sides: Sides) -> Iterator[SurfaceChange]:
    """Yield the objects and permissions that added migrations remove from users of the database."""
    for base, head in sides.files:
        if base is not None or head is None or UNPUBLISHED.search(head):
            continue
        text = sides.head.read(head) or ""
        for line, name, detail in _statements(head, text):
            yield SurfaceChange(KIND, head, line, name, detail, True)


def _statements(path: str, text: str) -> Iterator[_Statement]:
    if path.endswith(".sql") and not _DOWN.search(path):
        yield from _sql(text)
    elif path.endswith(".py") and ("migrations." in text or "op." in text):
        yield from _python(text)


def _sql(text: str) -> Iterator[_Statement]:
    """Yield the statements of a migration, without what it creates again, as SQLite needs for any change."""
    text = _upward_statements(text)
    again = {match[1] for pattern in (_CREATED, _RENAMED_TO) for match in pattern.finditer(text)}
    for match in _DROP_TABLE.finditer(text):
        if match[1] not in again and not match[1].startswith(("tmp", "temp", "new_", "__")):
            yield _Statement(_line(text, match.start()), f"table `{match[1]}`", "is removed")
    for match in _ALTER.finditer(text):
        table = match[1]
        if table in again or table.startswith("__"):
            continue
        if _RENAME.match(match[2]):
            yield _Statement(_line(text, match.start()), f"table `{table}`", "is renamed")
        else:
            yield from _columns(text, table, match[2], match.start(2))


def _upward_statements(text: str) -> str:
    """Return a migration up to the part that reverts it, with blanks for comments."""
    down = _DOWN_SECTION.search(text)
    upward = text[: down.start()] if down is not None else text
    return "".join(" " * len(part) if part.startswith("--") else part for part in _comments(upward))


def _comments(text: str) -> Iterator[str]:
    """Yield the parts of an SQL text in order, with each comment as a part of its own."""
    location = 0
    for match in _COMMENT.finditer(text):
        yield text[location : match.start()]
        yield match[0]
        location = match.end()
    yield text[location:]


def _columns(text: str, table: str, body: str, start: int) -> Iterator[_Statement]:
    added = {match[1] for match in _ADDED.finditer(body)}
    for pattern, detail in _CLAUSES:
        for match in pattern.finditer(body):
            if match[1] not in added:
                yield _Statement(_line(text, start + match.start()), f"column `{table}.{match[1]}`", detail)
    for match in _ADDED.finditer(body):
        definition = match[2].partition(",")[0]
        if _NOT_NULL.search(definition) and not _FILLED.search(definition):
            line = _line(text, start + match.start())
            yield _Statement(
                line, f"column `{table}.{match[1]}`", "is added without a default and rejects null"
            )


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _python(text: str) -> Iterator[_Statement]:
    """Yield the operations of a migration of Django or Alembic, without those that undo it."""
    try:
        tree = parse(text)
    except _UNREADABLE:
        return
    for top in tree.body:
        if isinstance(top, ast.FunctionDef) and top.name != "upgrade":
            continue
        for node in ast.walk(top):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                found = _operation(node, node.func.attr)
                if found is not None:
                    yield _Statement(node.lineno, *found)


def _operation(node: ast.Call, name: str) -> tuple[str, str] | None:
    """Return the table or the column that an operation changes, and the change."""
    words = [*map(_string_value, node.args), "", ""]
    arguments = {keyword.arg: _string_value(keyword.value) for keyword in node.keywords}
    table = _first_nonempty(arguments, ("model_name", "table_name"), words[0])
    column = _first_nonempty(arguments, ("old_name", "name", "column_name"), words[1])
    match name:
        case "RemoveField" | "drop_column":
            return _column(table, column), "is removed"
        case "DeleteModel" | "drop_table":
            return f"table `{_first_nonempty(arguments, ('name',), table)}`", "is removed"
        case "RenameModel" | "rename_table":
            return f"table `{_first_nonempty(arguments, ('old_name',), table)}`", "is renamed"
        case "RenameField":
            return _column(table, column), "is renamed"
        case "alter_column" if "new_column_name" in arguments:
            return _column(table, column), "is renamed"
        case "alter_column" if arguments.get("nullable") == "False":
            return _column(table, column), "rejects null"
    return None


def _first_nonempty(arguments: Mapping[str | None, str], names: Iterable[str], default: str) -> str:
    """Return the first argument of these names that is not empty."""
    for name in names:
        if value := arguments.get(name):
            return value
    return default


def _column(table: str, column: str) -> str:
    return f"column `{table}.{column}`" if table and column else f"column `{table or column}`"


def _string_value(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ""
