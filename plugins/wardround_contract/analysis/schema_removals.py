"""The tables, columns and models that a change removes from a schema."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wardround.checks.source import ChangedFileView, ChangeView
from wardround.lazy import LazyPattern
from wardround_contract.analysis.dbt_models import output_columns
from wardround_contract.analysis.uses import NOT_MAINTAINED

_NAME = r"(?:[\"`\[]?\w+[\"`\]]?\.)?[\"`\[]?(\w+)[\"`\]]?"
_ALTERED = LazyPattern(rf"(?is)\balter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?{_NAME}\s+(.*?)(?:;|\Z)")
_NO_COLUMN = r"constraint|index|primary|foreign|default|not|check|key|expression|identity"
_DROPPED_COLUMN = LazyPattern(
    rf"(?i)\bdrop\s+(?:column\s+)?(?!{_NO_COLUMN})(?:if\s+exists\s+)?[\"`\[]?(\w+)[\"`\]]?"
    r"|\brename\s+(?:column\s+)?(?!to\b|constraint|index)[\"`\[]?(\w+)[\"`\]]?\s+to\b"
)
_DROPPED_TABLE = LazyPattern(
    rf"(?i)\bdrop\s+(?:table|(?:materialized\s+)?view)\s+(?:if\s+exists\s+)?{_NAME}"
    rf"|\balter\s+table\s+(?:if\s+exists\s+)?{_NAME}\s+rename\s+to\b"
)
_CREATED = LazyPattern(
    r"(?is)\bcreate\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unlogged\s+|materialized\s+)?"
    rf"(?:table|view)\s+(?:if\s+not\s+exists\s+)?{_NAME}\s*(\(.*?\n?\s*\)\s*[^();]*;)?"
)
_COLUMN = LazyPattern(r"(?im)^\s*[\"`\[]?(\w+)[\"`\]]?\s+[\w\"]+[^\n]*$")
_NOT_COLUMNS = frozenset({"constraint", "primary", "foreign", "unique", "check", "key", "index", "like",
                          "exclude", "create", "references", "on", "partition", "period"})  # fmt: skip
_DOWN = LazyPattern(r"(?i)(^|[/._-])(down|rollback|undo|revert)([/._-]|$)")
_DOWN_SECTION = LazyPattern(r"(?im)^\s*--\s*(?:\+\w+\s+)?(?:migrate:)?down\b")
_ALEMBIC = LazyPattern(
    r"(?s)\bdrop_column\(\s*['\"](\w+)['\"]\s*,\s*['\"](\w+)['\"]|\bdrop_table\(\s*['\"](\w+)['\"]"
)
_PRISMA_MODEL = LazyPattern(r"(?ms)^model\s+(\w+)\s*\{(.*?)^\}")
_PRISMA_FIELD = LazyPattern(r"(?m)^\s+(\w+)\s+\w+")
_MOST_REMOVALS = 40


class SchemaRemoval(NamedTuple):
    """A removed table, or a removed column of a table.

    Attributes:
        column: empty for the table itself.
        line: line number of the statement that removes it at the head, or of its definition at the base.
        is_model: it is a dbt model, which other models reference by name.
    """

    file: ChangedFileView
    table: str
    column: str
    line: int
    is_at_head: bool
    is_model: bool = False


def schema_removals(change: ChangeView) -> Iterator[SchemaRemoval]:
    """Yield what the files of a change remove and none of them adds again."""
    removals = list(_removals(change.files))
    if not 0 < len(removals) <= _MOST_REMOVALS:
        return
    schemas = [file for file in change.files if file.path.endswith((".sql", ".py", ".prisma"))]
    head = "\n".join(file.text or "" for file in schemas)
    for removal in removals:
        if not _is_added(removal, head):
            yield removal


def _removals(files: Iterable[ChangedFileView]) -> Iterator[SchemaRemoval]:
    for file in files:
        if not NOT_MAINTAINED.search(file.path):
            yield from _removals_in_file(file)


def _is_added(removal: SchemaRemoval, text: str) -> bool:
    """Return True if the change creates the same again."""
    name = re.escape(removal.column or removal.table)
    if removal.column:
        again = (
            rf"(?i)\badd\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?[\"`\[]?{name}\b|\bto\s+[\"`\[]?{name}\b"
        )
        return bool(re.search(again + rf"|add_column\([^)]*['\"]{name}['\"]", text))
    owner = r"(?:[\"`\[]?\w+[\"`\]]?\.)?[\"`\[]?"
    again = rf"(?i)\bcreate\s+(?:or\s+replace\s+)?[\w\s]*?(?:table|view)\s+[\w\s]*?{owner}{name}\b"
    return bool(re.search(again + rf"|\brename\s+to\s+[\"`\[]?{name}\b|create_table\(\s*['\"]{name}", text))


def _removals_in_file(file: ChangedFileView) -> Iterator[SchemaRemoval]:
    match posixpath.splitext(file.path)[1]:
        case ".sql" if not _DOWN.search(file.path):
            yield from _statements(file)
            yield from _definitions(file)
            yield from _model(file)
        case ".py" if file.base_path is None:
            yield from _alembic_operations(file)
        case ".prisma":
            yield from _prisma(file)


def _alembic_operations(file: ChangedFileView) -> Iterator[SchemaRemoval]:
    if "drop_" not in (file.text or ""):
        return
    upgrade = (file.text or "").partition("def downgrade")[0]
    for match in _ALEMBIC.finditer(upgrade):
        line = upgrade.count("\n", 0, match.start()) + 1
        yield SchemaRemoval(file, match[1] or match[3], match[2] or "", line, True)


def _statements(file: ChangedFileView) -> Iterator[SchemaRemoval]:
    """Yield what added statements remove."""
    text = file.text or ""
    down = _DOWN_SECTION.search(text)
    text = text[: down.start()] if down is not None else text
    for match in _ALTERED.finditer(text):
        for column in _DROPPED_COLUMN.finditer(match[2]):
            line = text.count("\n", 0, match.start(2) + column.start()) + 1
            if file.is_added(line):
                name = column[1] or column[2]
                yield SchemaRemoval(file, match[1], name, line, True)
    for match in _DROPPED_TABLE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if file.is_added(line):
            yield SchemaRemoval(file, match[1] or match[2], "", line, True)


def _definitions(file: ChangedFileView) -> Iterator[SchemaRemoval]:
    """Yield what the definitions of a schema file lose."""
    if file.base_text is None or file.text is None or file.base_text == file.text:
        return
    base, head = _tables(file.base_text), _tables(file.text)
    for table, columns in base.items():
        left = head.get(table)
        if left is None:
            yield SchemaRemoval(file, table, "", columns[""], False)
        elif len(left) > 1:
            for column, line in columns.items():
                if column and column not in left:
                    yield SchemaRemoval(file, table, column, line, False)


def _tables(text: str) -> dict[str, dict[str, int]]:
    """Return the columns of each created table with their lines; the empty one is the table itself."""
    found: dict[str, dict[str, int]] = {}
    for match in _CREATED.finditer(text):
        columns = found.setdefault(match[1].lower(), {"": text.count("\n", 0, match.start()) + 1})
        body = match[2] or ""
        for column in _COLUMN.finditer(body):
            if column[1].lower() not in _NOT_COLUMNS:
                columns[column[1].lower()] = text.count("\n", 0, match.start(2) + column.start(1)) + 1
    return found


def _model(file: ChangedFileView) -> Iterator[SchemaRemoval]:
    """Yield a model of dbt that is deleted or renamed, or the columns that it loses."""
    path = file.base_path
    if path is None or "/models/" not in f"/{path}":
        return
    name = _model_name(path)
    if file.text is None or _model_name(file.path) != name:
        yield SchemaRemoval(file, name, "", 1, False, is_model=True)
        return
    remaining = output_columns(file.text)
    if remaining is None:
        return
    columns = output_columns(file.base_text or "") or {}
    for column, line in columns.items():
        if column not in remaining:
            yield SchemaRemoval(file, name, column, line, False, is_model=True)


def _model_name(path: str) -> str:
    return posixpath.basename(path).removesuffix(".sql")


def _prisma(file: ChangedFileView) -> Iterator[SchemaRemoval]:
    if file.base_text is None or file.text is None:
        return
    head = {match[1]: match[2] for match in _PRISMA_MODEL.finditer(file.text)}
    for match in _PRISMA_MODEL.finditer(file.base_text):
        body = head.get(match[1])
        if body is None:
            continue
        left = {field[1] for field in _PRISMA_FIELD.finditer(body)}
        for field in _PRISMA_FIELD.finditer(match[2]):
            if field[1] not in left:
                line = file.base_text.count("\n", 0, match.start(2) + field.start(1)) + 1
                yield SchemaRemoval(file, match[1], field[1], line, False)
