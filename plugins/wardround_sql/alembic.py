"""Alembic's operations, written as the SQL they run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround_sql.python_code import Call, Module, called
from wardround_sql.written import Text, Writer, listed, quoted

_TYPES = {"Integer": "integer", "BigInteger": "bigint", "SmallInteger": "smallint", "String": "text",
          "Unicode": "text", "Text": "text", "UnicodeText": "text", "VARCHAR": "text", "CHAR": "text",
          "Float": "double precision", "FLOAT": "double precision", "Double": "double precision",
          "DOUBLE": "double precision", "DOUBLE_PRECISION": "double precision", "REAL": "real",
          "Boolean": "boolean", "BOOLEAN": "boolean", "DateTime": "timestamp", "Date": "date", "DATE": "date",
          "Time": "time", "Numeric": "numeric", "DECIMAL": "numeric", "NUMERIC": "numeric", "JSON": "json",
          "JSONB": "jsonb", "UUID": "uuid", "Uuid": "uuid", "TIMESTAMP": "timestamp", "INTEGER": "integer",
          "BIGINT": "bigint", "SMALLINT": "smallint", "TEXT": "text", "LargeBinary": "bytea",
          "Interval": "interval"}  # fmt: skip


class AlembicReader:
    """The operations of one file; ``batch_alter_table`` gives its table to those on its variable."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.batches: dict[str, list[tuple[int, int, str]]] = {}
        for node in ast.walk(module.tree) if "batch_alter_table" in module.text else ():
            if isinstance(node, ast.With):
                self._note(node)

    def _note(self, node: ast.With) -> None:
        for item in node.items:
            opened, name = item.context_expr, item.optional_vars
            if (
                isinstance(opened, ast.Call)
                and called(opened) == "batch_alter_table"
                and isinstance(name, ast.Name)
            ):
                table = _text(opened.args[0] if opened.args else _keywords(opened).get("table_name"))
                self.batches.setdefault(name.id, []).append(
                    (node.lineno, node.end_lineno or node.lineno, table)
                )

    def operation(self, call: Call) -> Iterator[Text]:
        """The SQL an operation runs, for those whose SQL has something to be said about."""
        owner = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
        if not isinstance(owner, ast.Name):
            return
        table = self._batch(owner.id, call.node.lineno)
        if owner.id != "op" and table is None:
            return
        writer = Writer()
        start = self.module.place(call.node)[0]
        width = len(f"{owner.id}.{call.name}")
        if call.name == "create_table":
            yield from _table(self.module, call.node, start, width)
            return
        sql = _sql(call, table)
        if sql:
            writer.add(sql, start, width)
            yield writer.text()

    def _batch(self, name: str, line: int) -> str | None:
        if name in self.batches:
            return next((table for first, last, table in self.batches[name] if first <= line <= last), "")
        return "" if name == "batch_op" else None


class _Arguments:
    """The arguments of an operation; those on a batch leave the table out."""

    def __init__(self, call: ast.Call, table: str | None, names: tuple[str, ...]) -> None:
        given = _keywords(call)
        positions = names if table is None else tuple(name for name in names if name not in _TABLES)
        given.update(zip(positions, call.args, strict=False))
        self.given = given
        self.table = table if table is not None else self.text(*_TABLES)

    def text(self, *names: str) -> str:
        return next((found for name in names if (found := _text(self.given.get(name)))), "")

    def texts(self, name: str) -> list[str]:
        """The texts of a list; none if one of them cannot be told."""
        elements = getattr(self.given.get(name), "elts", [])
        found = [_text(one) for one in elements]
        return found if all(found) else []

    def is_true(self, name: str) -> bool:
        return getattr(self.given.get(name), "value", None) is True

    def is_false(self, name: str) -> bool:
        return getattr(self.given.get(name), "value", None) is False


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
    "rename_table": ("old_table_name", "new_table_name"),
    "alter_column": ("table_name", "column_name"),
}


def _sql(call: Call, table: str | None) -> str:
    if call.name == "drop_table":
        gone = _text(call.node.args[0]) if call.node.args else ""
        return f"DROP TABLE {quoted(gone)}" if gone else ""
    if call.name not in _SIGNATURES:
        return ""
    given = _Arguments(call.node, table, _SIGNATURES[call.name])
    at = quoted(given.table or "batch")
    match call.name:
        case "add_column":
            return _added(at, given)
        case "create_index":
            return _index(at, given)
        case "create_foreign_key" if given.texts("local_cols") and given.text("referent_table"):
            late = " NOT VALID" if given.is_true("postgresql_not_valid") else ""
            return (f"ALTER TABLE {at} ADD FOREIGN KEY ({listed(given.texts('local_cols'))}) "
                    f"REFERENCES {quoted(given.text('referent_table'))}{late}")  # fmt: skip
        case "create_check_constraint":
            late = " NOT VALID" if given.is_true("postgresql_not_valid") else ""
            return f"ALTER TABLE {at} ADD CHECK (c > 0){late}"
        case "create_unique_constraint" if given.texts("columns"):
            return f"ALTER TABLE {at} ADD UNIQUE ({listed(given.texts('columns'))})"
        case "drop_column" if given.text("column_name"):
            return f"ALTER TABLE {at} DROP COLUMN {quoted(given.text('column_name'))}"
        case "drop_index":
            how = "CONCURRENTLY " if given.is_true("postgresql_concurrently") else ""
            return f"DROP INDEX {how}{quoted(given.text('index_name') or 'index')}"
        case "rename_table" if given.text("new_table_name"):
            return f"ALTER TABLE {at} RENAME TO {quoted(given.text('new_table_name'))}"
        case "alter_column" if given.text("column_name"):
            return _altered(at, given)
    return ""


def _added(table: str, given: _Arguments) -> str:
    column = given.given.get("column")
    found = declared(column) if column is not None else None
    if found is None:
        return ""
    sql = f"ALTER TABLE {table} ADD COLUMN {found.sql}"
    return f"{sql}; CREATE INDEX ON {table} ({quoted(found.name)})" if found.indexed else sql


def _index(table: str, given: _Arguments) -> str:
    names = given.texts("columns")
    if not names:
        return ""
    unique = "UNIQUE " if given.is_true("unique") else ""
    how = "CONCURRENTLY " if given.is_true("postgresql_concurrently") else ""
    some = " WHERE true" if "postgresql_where" in given.given else ""
    return f"CREATE {unique}INDEX {how}ON {table} ({listed(names)}){some}"


def _altered(table: str, given: _Arguments) -> str:
    column = quoted(given.text("column_name"))
    parts = []
    new = given.given.get("type_")
    if new is not None and not _is_same(given.given.get("existing_type"), new):
        parts.append(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {_type(new)}")
    if given.is_false("nullable") and not given.is_false("existing_nullable"):
        parts.append(f"ALTER TABLE {table} ALTER COLUMN {column} SET NOT NULL")
    if given.text("new_column_name"):
        parts.append(f"ALTER TABLE {table} RENAME COLUMN {column} TO {quoted(given.text('new_column_name'))}")
    return "; ".join(parts)


def _is_same(old: ast.expr | None, new: ast.expr) -> bool:
    """Whether a change of type keeps how values are stored, as far as the types say."""
    if old is None:
        return False
    if _type(old) != _type(new):
        return False
    was, now = _length(old), _length(new)
    return now is None or (was is not None and now >= was) or _type(new) == "numeric"


def _length(node: ast.expr) -> int | None:
    """The length of a text; None where there is none."""
    if not isinstance(node, ast.Call):
        return None
    given = node.args[0] if node.args else _keywords(node).get("length")
    value = getattr(given, "value", None)
    return value if isinstance(value, int) else None


def _table(module: Module, call: ast.Call, start: int, width: int) -> Iterator[Text]:
    table = _text(call.args[0]) if call.args else ""
    if not table:
        return
    writer = Writer()
    writer.add(f"CREATE TABLE {quoted(table)} (", start, width)
    indexed: list[str] = []
    count = 0
    for part in call.args[1:]:
        sql = ""
        if isinstance(part, ast.Call) and called(part) == "Column":
            found = declared(part)
            sql = found.sql if found else ""
            indexed += [found.name] if found and found.indexed else []
        elif isinstance(part, ast.Call):
            sql = _constraint(part)
        if sql and isinstance(part, ast.Call):
            first = part.args[0] if called(part) == "Column" else part
            writer.add((", " if count else "") + sql, module.place(first)[0], _width(module, first))
            count += 1
    writer.add(")", start, width)
    for name in indexed:
        writer.add(f"; CREATE INDEX ON {quoted(table)} ({quoted(name)})", start, width)
    if count:
        yield writer.text()


def _width(module: Module, node: ast.expr) -> int:
    start, end = module.place(node)
    return max(len(module.text[start:end].split("\n", 1)[0]), 1)


def _constraint(part: ast.Call) -> str:
    """A constraint of a table as SQL; nothing if it does not matter here."""
    match called(part):
        case "PrimaryKeyConstraint" | "UniqueConstraint":
            names = [_text(one) for one in part.args]
            kind = "PRIMARY KEY" if called(part) == "PrimaryKeyConstraint" else "UNIQUE"
            return f"{kind} ({listed(names)})" if names and all(names) else ""
        case "ForeignKeyConstraint" if len(part.args) > 1:
            local = [_text(one) for one in getattr(part.args[0], "elts", [])]
            remote = [_text(one) for one in getattr(part.args[1], "elts", [])]
            if local and remote and all(local) and all(remote):
                return f"FOREIGN KEY ({listed(local)}) REFERENCES {quoted(remote[0].rsplit('.', 1)[0])}"
    return ""


class Declared:
    """A column as it is declared: its name, its SQL, whether an index is asked for, what it points to."""

    def __init__(self, name: str, sql: str, indexed: bool) -> None:
        self.name = name
        self.sql = sql
        self.indexed = indexed


def declared(node: ast.expr, name: str = "", typed: str = "") -> Declared | None:
    """A ``Column(...)`` or ``mapped_column(...)``; None where it is no plain column.

    ``name`` and ``typed`` are what stands around it, where the call itself says nothing.
    """
    if not isinstance(node, ast.Call) or called(node) not in ("Column", "mapped_column"):
        return None
    rest = list(node.args)
    if rest and _text(rest[0]):
        name = _text(rest.pop(0))
    if not name:
        return None
    keywords = _keywords(node)
    key = _flag(keywords, "primary_key") is True
    target = next((one for one in rest if isinstance(one, ast.Call) and called(one) == "ForeignKey"), None)
    kind = next((one for one in rest if one is not target and called_type(one)), keywords.get("type_"))
    written = _type(kind) if kind is not None else typed or ("bigint" if target is not None else "text")
    generated = any(
        isinstance(one, ast.Call) and called(one) in ("Identity", "Computed", "Sequence") for one in rest
    )
    sql = f"{quoted(name)} {written}"
    sql += " NOT NULL" if _flag(keywords, "nullable") is False else ""
    sql += " DEFAULT null" if "server_default" in keywords or "autoincrement" in keywords or generated else ""
    sql += " PRIMARY KEY" if key else " UNIQUE" if _flag(keywords, "unique") is True else ""
    points_to = _text(target.args[0]).rsplit(".", 1)[0] if target is not None and target.args else ""
    sql += f" REFERENCES {quoted(points_to)}" if points_to else ""
    return Declared(name, sql, _flag(keywords, "index") is True)


def called_type(node: ast.expr) -> bool:
    """Whether an argument of a column is its type."""
    if isinstance(node, ast.Call):
        return called(node) not in (
            "ForeignKey",
            "Identity",
            "Computed",
            "Sequence",
            "CheckConstraint",
            "FetchedValue",
        )
    return isinstance(node, (ast.Attribute, ast.Name))


def _type(node: ast.expr) -> str:
    call = node if isinstance(node, ast.Call) else None
    function = call.func if call else node
    name = getattr(function, "attr", getattr(function, "id", ""))
    if call and name in ("DateTime", "TIMESTAMP", "Time"):
        zoned = any(k.arg == "timezone" and getattr(k.value, "value", 0) is True for k in call.keywords)
        first = getattr(call.args[0], "value", None) if call.args else None
        return "timestamptz" if zoned or first is True else _TYPES[name]
    return _TYPES.get(name, "text")


def _keywords(call: ast.Call) -> dict[str, ast.expr]:
    return {one.arg: one.value for one in call.keywords if one.arg}


def _flag(keywords: dict[str, ast.expr], name: str) -> object:
    return getattr(keywords.get(name), "value", None)


def _text(node: ast.expr | None) -> str:
    """The text of a constant; of ``op.f("name")`` the name."""
    if isinstance(node, ast.Call) and called(node) == "f" and node.args:
        node = node.args[0]
    value = node.value if isinstance(node, ast.Constant) else ""
    return value if isinstance(value, str) else ""
