"""Alembic operations as the SQL that they run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern
from wardround_sql.frontends.alembic_tables import created_table
from wardround_sql.frontends.python_code import SqlModule
from wardround_sql.frontends.python_scopes import CallSite, callee_name
from wardround_sql.frontends.sqlalchemy_columns import (
    constant_text,
    declared_column,
    delete_action,
    keywords_of,
    type_sql,
)
from wardround_sql.frontends.string_assembly import (
    AssembledText,
    SqlAssembler,
    join_columns,
    quote_identifier,
)

_PLAIN_DEFAULT = LazyPattern(r"'[^']*'(?:::[\w.\" ]+)?")


class AlembicReader:
    """Operations of one file; operations on the variable of ``batch_alter_table`` use its table."""

    def __init__(self, module: SqlModule) -> None:
        self.module = module
        self.batches: dict[str, list[tuple[int, int, str]]] = {}
        for node in walk(module.tree) if "batch_alter_table" in module.text else ():
            if isinstance(node, ast.With):
                self._note(node)

    def _note(self, node: ast.With) -> None:
        for item in node.items:
            opened, name = item.context_expr, item.optional_vars
            if (
                isinstance(opened, ast.Call)
                and callee_name(opened) == "batch_alter_table"
                and isinstance(name, ast.Name)
            ):
                table = constant_text(
                    opened.args[0] if opened.args else keywords_of(opened).get("table_name")
                )
                self.batches.setdefault(name.id, []).append(
                    (node.lineno, node.end_lineno or node.lineno, table)
                )

    def operation(self, call: CallSite) -> Iterator[AssembledText]:
        """Return the SQL of an operation, for operations that rules inspect."""
        owner = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
        if not isinstance(owner, ast.Name):
            return
        table = self._batch(owner.id, call.node.lineno)
        if owner.id != "op" and table is None:
            return
        start = self.module.place(call.node)[0]
        width = len(f"{owner.id}.{call.name}")
        if call.name == "create_table":
            yield from created_table(self.module, call.node, start, width)
            return
        for sql, offset, wide in self._parts(call, table, start, width):
            writer = SqlAssembler()
            writer.add(sql, offset, wide)
            yield writer.text()

    def _parts(
        self, call: CallSite, table: str | None, start: int, width: int
    ) -> Iterator[tuple[str, int, int]]:
        """Yield the SQL of an operation; each change of ``alter_column`` at the argument that requests it."""
        if call.name != "alter_column":
            sql = _sql(self.module, call, table)
            if sql:
                yield sql, start, width
            return
        arguments = _Arguments(self.module, call, table, _SIGNATURES["alter_column"])
        if not arguments.text("column_name"):
            return
        for name, sql in _alterations(quote_identifier(arguments.table or _UNKNOWN), arguments):
            words = next((keyword for keyword in call.node.keywords if keyword.arg == name), None)
            offset = self.module.place_of(words.lineno, words.col_offset) if words is not None else start
            yield sql, offset, len(name) if words is not None else width

    def commits(self) -> Iterator[AssembledText]:
        """Yield the ends of ``autocommit_block``s, where their changes are committed."""
        for node in walk(self.module.tree) if "autocommit_block" in self.module.text else ():
            if isinstance(node, ast.With) and any(map(_is_autocommit_block, node.items)):
                end = self.module.place_of(node.end_lineno or 1, node.end_col_offset or 0)
                writer = SqlAssembler()
                writer.add("COMMIT", end, 1)
                yield writer.text()

    def _batch(self, name: str, line: int) -> str | None:
        if name in self.batches:
            return next((table for first, last, table in self.batches[name] if first <= line <= last), "")
        return "" if name == "batch_op" else None


def _is_autocommit_block(item: ast.withitem) -> bool:
    return isinstance(item.context_expr, ast.Call) and callee_name(item.context_expr) == "autocommit_block"


class _Arguments:
    """Arguments of an operation; those of a batch operation omit the table."""

    def __init__(self, module: SqlModule, call: CallSite, table: str | None, names: tuple[str, ...]) -> None:
        arguments = keywords_of(call.node)
        positions = names if table is None else tuple(name for name in names if name not in _TABLES)
        arguments.update(zip(positions, call.node.args, strict=False))
        self.by_name = arguments
        self.module = module
        self.scope = call.scope
        self.table = table if table is not None else self.text(*_TABLES)

    def text(self, *names: str) -> str:
        return next((result for name in names if (result := self._string(self.by_name.get(name)))), "")

    def _string(self, node: ast.expr | None) -> str:
        """Return a string literal, or the first string that a name is bound to."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            entries = next(self.module.values(node, self.scope), None)
            return entries.text if entries is not None and not entries.holes else ""
        return constant_text(node)

    def texts(self, name: str) -> list[str]:
        """Return the strings of a list; empty if one of them is unknown."""
        node = self.by_name.get(name)
        if isinstance(node, ast.Name):
            return [entry.text for entry in self.module.values(node, self.scope) if not entry.holes]
        result = [constant_text(item) for item in getattr(node, "elts", [])]
        return result if all(result) else []

    def is_true(self, name: str) -> bool:
        return getattr(self.by_name.get(name), "value", None) is True

    def is_false(self, name: str) -> bool:
        return getattr(self.by_name.get(name), "value", None) is False


_TABLES = ("table_name", "source_table", "old_table_name")
_SIGNATURES = {
    "add_column": ("table_name", "column"),
    "create_index": ("index_name", "table_name", "columns"),
    "create_foreign_key": ("name", "source_table", "referent_table", "local_cols", "remote_cols"),
    "create_check_constraint": ("name", "table_name", "condition"),
    "create_unique_constraint": ("name", "table_name", "columns"),
    "create_exclude_constraint": ("name", "table_name"),
    "drop_column": ("table_name", "column_name"),
    "drop_index": ("index_name",),
    "drop_table": ("table_name",),
    "rename_table": ("old_table_name", "new_table_name"),
    "alter_column": ("table_name", "column_name"),
}


_UNKNOWN = "the table"


def _sql(module: SqlModule, call: CallSite, table: str | None) -> str:
    signature = _SIGNATURES.get(call.name)
    if signature is None:
        return ""
    arguments = _Arguments(module, call, table, signature)
    if call.name == "drop_table":
        return f"DROP TABLE {quote_identifier(arguments.table)}" if arguments.table else ""
    name = quote_identifier(arguments.table or _UNKNOWN)
    match call.name:
        case "add_column":
            return _add_column(name, arguments)
        case "create_index":
            return _create_index(name, arguments)
        case "drop_column":
            return _drop_column(name, arguments)
        case "drop_index":
            return _drop_index(arguments)
        case "rename_table":
            return _rename_table(name, arguments)
    return _new_constraint(call.name, name, arguments)


def _drop_column(table: str, arguments: _Arguments) -> str:
    column = arguments.text("column_name")
    return f"ALTER TABLE {table} DROP COLUMN {quote_identifier(column)}" if column else ""


def _drop_index(arguments: _Arguments) -> str:
    index = quote_identifier(arguments.text("index_name") or "index")
    if arguments.is_true("postgresql_concurrently"):
        return f"DROP INDEX CONCURRENTLY {index}"
    return f"DROP INDEX {index}"


def _rename_table(table: str, arguments: _Arguments) -> str:
    new_name = arguments.text("new_table_name")
    return f"ALTER TABLE {table} RENAME TO {quote_identifier(new_name)}" if new_name else ""


def _new_constraint(call: str, table: str, arguments: _Arguments) -> str:
    validity = " NOT VALID" if arguments.is_true("postgresql_not_valid") else ""
    match call:
        case "create_foreign_key" if arguments.texts("local_cols") and arguments.text("referent_table"):
            local, target = (
                join_columns(arguments.texts("local_cols")),
                quote_identifier(arguments.text("referent_table")),
            )
            action = delete_action(arguments.by_name)
            return f"ALTER TABLE {table} ADD FOREIGN KEY ({local}) REFERENCES {target}{action}{validity}"
        case "create_check_constraint":
            return f"ALTER TABLE {table} ADD CHECK (c > 0){validity}"
        case "create_unique_constraint" if arguments.texts("columns"):
            return f"ALTER TABLE {table} ADD UNIQUE ({join_columns(arguments.texts('columns'))})"
    return ""


def _add_column(table: str, arguments: _Arguments) -> str:
    argument = arguments.by_name.get("column")
    column = declared_column(argument) if argument is not None else None
    if column is None:
        return ""
    sql = f"ALTER TABLE {table} ADD COLUMN {column.sql}"
    if column.indexed:
        sql += f"; CREATE INDEX ON {table} ({quote_identifier(column.name)})"
    return sql


def _create_index(table: str, arguments: _Arguments) -> str:
    columns = arguments.texts("columns") or ["an expression"]
    unique = "UNIQUE " if arguments.is_true("unique") else ""
    concurrently = "CONCURRENTLY " if arguments.is_true("postgresql_concurrently") else ""
    condition = " WHERE true" if "postgresql_where" in arguments.by_name else ""
    return f"CREATE {unique}INDEX {concurrently}ON {table} ({join_columns(columns)}){condition}"


def _alterations(table: str, arguments: _Arguments) -> Iterator[tuple[str, str]]:
    """Yield the changes of ``alter_column``: the argument that requests each, and its SQL."""
    column = quote_identifier(arguments.text("column_name"))
    new = arguments.by_name.get("type_")
    if new is not None and not _is_same(arguments.by_name.get("existing_type"), new):
        yield "type_", f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {type_sql(new)}"
    if arguments.is_false("nullable") and not arguments.is_false("existing_nullable"):
        yield "nullable", f"ALTER TABLE {table} ALTER COLUMN {column} SET NOT NULL"
    default = _default(arguments.by_name.get("server_default"))
    if default:
        yield "server_default", f"ALTER TABLE {table} ALTER COLUMN {column} SET DEFAULT {default}"
    if arguments.text("new_column_name"):
        renamed = quote_identifier(arguments.text("new_column_name"))
        yield "new_column_name", f"ALTER TABLE {table} RENAME COLUMN {column} TO {renamed}"


def _default(node: ast.expr | None) -> str:
    """Return a default as SQL if it is a single string."""
    written = constant_text(node).replace("'", "''")
    if written:
        return f"'{written}'"
    inside = (
        node.args[0] if isinstance(node, ast.Call) and callee_name(node) == "text" and node.args else None
    )
    return result if (result := constant_text(inside)) and _PLAIN_DEFAULT.fullmatch(result) else ""


def _is_same(old: ast.expr | None, new: ast.expr) -> bool:
    """Return True if a change of type keeps the stored form of the values, according to the types."""
    if old is None:
        return False
    if type_sql(old) != type_sql(new):
        return False
    previous, current = _length(old), _length(new)
    return current is None or (previous is not None and current >= previous) or type_sql(new) == "numeric"


def _length(node: ast.expr) -> int | None:
    """Return the length of a string type; None if it has none."""
    if not isinstance(node, ast.Call):
        return None
    arguments = node.args[0] if node.args else keywords_of(node).get("length")
    value = getattr(arguments, "value", None)
    return value if isinstance(value, int) else None
