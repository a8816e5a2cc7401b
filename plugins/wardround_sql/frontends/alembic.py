"""Alembic operations as the SQL that they run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.tree import walk
from wardround_sql.frontends.python_code import CallSite, SqlModule, called
from wardround_sql.frontends.string_assembly import AssembledText, SqlAssembler, listed, quoted

_PLAIN_DEFAULT = LazyPattern(r"'[^']*'(?:::[\w.\" ]+)?")
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
    """Operations of one file; those on the variable of ``batch_alter_table`` use its table."""

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
                and called(opened) == "batch_alter_table"
                and isinstance(name, ast.Name)
            ):
                table = _text(opened.args[0] if opened.args else _keywords(opened).get("table_name"))
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
            yield from _table(self.module, call.node, start, width)
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
        for name, sql in _altered(quoted(arguments.table or _UNKNOWN), arguments):
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
    return isinstance(item.context_expr, ast.Call) and called(item.context_expr) == "autocommit_block"


class _Arguments:
    """Arguments of an operation; those of a batch operation omit the table."""

    def __init__(self, module: SqlModule, call: CallSite, table: str | None, names: tuple[str, ...]) -> None:
        arguments = _keywords(call.node)
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
        return _text(node)

    def texts(self, name: str) -> list[str]:
        """Return the strings of a list; empty if one of them is unknown."""
        node = self.by_name.get(name)
        if isinstance(node, ast.Name):
            return [entry.text for entry in self.module.values(node, self.scope) if not entry.holes]
        result = [_text(item) for item in getattr(node, "elts", [])]
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
    if call.name not in _SIGNATURES:
        return ""
    arguments = _Arguments(module, call, table, _SIGNATURES[call.name])
    if call.name == "drop_table":
        return f"DROP TABLE {quoted(arguments.table)}" if arguments.table else ""
    name = quoted(arguments.table or _UNKNOWN)
    match call.name:
        case "add_column":
            return _added(name, arguments)
        case "create_index":
            return _index(name, arguments)
        case "drop_column" if arguments.text("column_name"):
            return f"ALTER TABLE {name} DROP COLUMN {quoted(arguments.text('column_name'))}"
        case "drop_index":
            how = "CONCURRENTLY " if arguments.is_true("postgresql_concurrently") else ""
            return f"DROP INDEX {how}{quoted(arguments.text('index_name') or 'index')}"
        case "rename_table" if arguments.text("new_table_name"):
            return f"ALTER TABLE {name} RENAME TO {quoted(arguments.text('new_table_name'))}"
    return _new_constraint(call.name, name, arguments)


def _new_constraint(call: str, table: str, arguments: _Arguments) -> str:
    validity = " NOT VALID" if arguments.is_true("postgresql_not_valid") else ""
    match call:
        case "create_foreign_key" if arguments.texts("local_cols") and arguments.text("referent_table"):
            local, target = listed(arguments.texts("local_cols")), quoted(arguments.text("referent_table"))
            action = _on_delete(arguments.by_name)
            return f"ALTER TABLE {table} ADD FOREIGN KEY ({local}) REFERENCES {target}{action}{validity}"
        case "create_check_constraint":
            return f"ALTER TABLE {table} ADD CHECK (c > 0){validity}"
        case "create_unique_constraint" if arguments.texts("columns"):
            return f"ALTER TABLE {table} ADD UNIQUE ({listed(arguments.texts('columns'))})"
    return ""


def _added(table: str, arguments: _Arguments) -> str:
    column = arguments.by_name.get("column")
    result = declared(column) if column is not None else None
    if result is None:
        return ""
    sql = f"ALTER TABLE {table} ADD COLUMN {result.sql}"
    return f"{sql}; CREATE INDEX ON {table} ({quoted(result.name)})" if result.indexed else sql


def _index(table: str, arguments: _Arguments) -> str:
    names = arguments.texts("columns") or ["an expression"]
    unique = "UNIQUE " if arguments.is_true("unique") else ""
    how = "CONCURRENTLY " if arguments.is_true("postgresql_concurrently") else ""
    some = " WHERE true" if "postgresql_where" in arguments.by_name else ""
    return f"CREATE {unique}INDEX {how}ON {table} ({listed(names)}){some}"


def _altered(table: str, arguments: _Arguments) -> Iterator[tuple[str, str]]:
    """Yield the changes of ``alter_column``: the argument that requests each, and its SQL."""
    column = quoted(arguments.text("column_name"))
    new = arguments.by_name.get("type_")
    if new is not None and not _is_same(arguments.by_name.get("existing_type"), new):
        yield "type_", f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {_type(new)}"
    if arguments.is_false("nullable") and not arguments.is_false("existing_nullable"):
        yield "nullable", f"ALTER TABLE {table} ALTER COLUMN {column} SET NOT NULL"
    default = _default(arguments.by_name.get("server_default"))
    if default:
        yield "server_default", f"ALTER TABLE {table} ALTER COLUMN {column} SET DEFAULT {default}"
    if arguments.text("new_column_name"):
        renamed = quoted(arguments.text("new_column_name"))
        yield "new_column_name", f"ALTER TABLE {table} RENAME COLUMN {column} TO {renamed}"


def _default(node: ast.expr | None) -> str:
    """Return a default as SQL if it is a single string."""
    written = _text(node).replace("'", "''")
    if written:
        return f"'{written}'"
    inside = node.args[0] if isinstance(node, ast.Call) and called(node) == "text" and node.args else None
    return result if (result := _text(inside)) and _PLAIN_DEFAULT.fullmatch(result) else ""


def _is_same(old: ast.expr | None, new: ast.expr) -> bool:
    """Return True if a change of type keeps the stored form of the values, according to the types."""
    if old is None:
        return False
    if _type(old) != _type(new):
        return False
    was, now = _length(old), _length(new)
    return now is None or (was is not None and now >= was) or _type(new) == "numeric"


def _length(node: ast.expr) -> int | None:
    """Return the length of a text type; None if it has none."""
    if not isinstance(node, ast.Call):
        return None
    arguments = node.args[0] if node.args else _keywords(node).get("length")
    value = getattr(arguments, "value", None)
    return value if isinstance(value, int) else None


def _table(module: SqlModule, call: ast.Call, start: int, width: int) -> Iterator[AssembledText]:
    table = _text(call.args[0]) if call.args else ""
    if not table:
        return
    writer = SqlAssembler()
    writer.add(f"CREATE TABLE {quoted(table)} (", start, width)
    indexed: list[str] = []
    count = 0
    for part in call.args[1:]:
        sql = ""
        if isinstance(part, ast.Call) and called(part) == "Column":
            result = declared(part)
            sql = result.sql if result else ""
            indexed += [result.name] if result and result.indexed else []
        elif isinstance(part, ast.Call):
            sql = _constraint(part)
        if sql and isinstance(part, ast.Call):
            first = part.args[0] if called(part) == "Column" else part
            writer.add((", " if count else "") + sql, module.place(first)[0], first_line(module, first))
            count += 1
    writer.add(")", start, width)
    for name in indexed:
        writer.add(f"; CREATE INDEX ON {quoted(table)} ({quoted(name)})", start, width)
    if count:
        yield writer.text()


def first_line(module: SqlModule, node: ast.expr) -> int:
    """Return the number of characters of a node on its first line."""
    start, end = module.place(node)
    return max(len(module.text[start:end].split("\n", 1)[0]), 1)


def _constraint(part: ast.Call) -> str:
    """Return a table constraint as SQL; empty if no rule inspects it."""
    match called(part):
        case "PrimaryKeyConstraint" | "UniqueConstraint":
            names = [_text(arg) for arg in part.args]
            kind = "PRIMARY KEY" if called(part) == "PrimaryKeyConstraint" else "UNIQUE"
            return f"{kind} ({listed(names)})" if names and all(names) else ""
        case "ForeignKeyConstraint" if len(part.args) > 1:
            return _key_constraint(part)
    return ""


def _key_constraint(part: ast.Call) -> str:
    local, remote = ([_text(node) for node in getattr(names, "elts", [])] for names in part.args[:2])
    if not local or not remote or not all(local) or not all(remote):
        return ""
    target = quoted(remote[0].rsplit(".", 1)[0])
    return f"FOREIGN KEY ({listed(local)}) REFERENCES {target}{_on_delete(_keywords(part))}"


class DeclaredTable:
    """Declared column: its name, its SQL, whether it requests an index, its target and its location."""

    def __init__(self, name: str, head: str, indexed: bool) -> None:
        self.name = name
        self.head = head
        self.indexed = indexed
        self.reference = ""
        self.target: ast.expr | None = None

    @property
    def sql(self) -> str:
        return self.head + self.reference


def declared(node: ast.expr, name: str = "", typed: str = "") -> DeclaredTable | None:
    """Return a ``Column(...)`` or ``mapped_column(...)``; None if it is not a plain column.

    ``name`` and ``typed`` come from the context, for calls that omit them.
    """
    if not isinstance(node, ast.Call) or called(node) not in ("Column", "mapped_column"):
        return None
    rest = list(node.args)
    if rest and _text(rest[0]):
        name = _text(rest.pop(0))
    if not name:
        return None
    keywords = _keywords(node)
    target = next(
        (entry for entry in rest if isinstance(entry, ast.Call) and called(entry) == "ForeignKey"), None
    )
    kind = next((item for item in rest if item is not target and called_type(item)), keywords.get("type_"))
    default_type = typed or ("bigint" if target is not None else "text")
    written = _type(kind) if kind is not None else default_type
    result = DeclaredTable(
        name, f"{quoted(name)} {written}{_column_options(keywords, rest)}", _flag(keywords, "index") is True
    )
    points_to = _text(target.args[0]).rsplit(".", 1)[0] if target is not None and target.args else ""
    if points_to and target is not None:
        result.reference = f" REFERENCES {quoted(points_to)}{_on_delete(_keywords(target))}"
        result.target = target
    return result


def _column_options(keywords: dict[str, ast.expr], arguments: list[ast.expr]) -> str:
    """Return NOT NULL, DEFAULT, PRIMARY KEY and UNIQUE of a column."""
    generators = ("Identity", "Computed", "Sequence")
    generated = any(
        isinstance(argument, ast.Call) and called(argument) in generators for argument in arguments
    )
    filled = "server_default" in keywords or "autoincrement" in keywords or generated
    options = " NOT NULL" if _flag(keywords, "nullable") is False else ""
    options += " DEFAULT null" if filled else ""
    if _flag(keywords, "primary_key") is True:
        return options + " PRIMARY KEY"
    return options + (" UNIQUE" if _flag(keywords, "unique") is True else "")


def _on_delete(keywords: dict[str, ast.expr]) -> str:
    text = _text(keywords.get("ondelete")).upper()
    return f" ON DELETE {text}" if text in ("CASCADE", "SET NULL", "RESTRICT") else ""


def called_type(node: ast.expr) -> bool:
    """Return True if an argument of a column is its type."""
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


def declared_type(node: ast.expr) -> str:
    """Return a type as SQL; empty if it is unknown."""
    named = node.func if isinstance(node, ast.Call) else node
    return _type(node) if getattr(named, "attr", getattr(named, "id", "")) in _TYPES else ""


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
    return {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}


def _flag(keywords: dict[str, ast.expr], name: str) -> object:
    return getattr(keywords.get(name), "value", None)


def _text(node: ast.expr | None) -> str:
    """Return the text of a constant, and the name in ``op.f("name")``."""
    if isinstance(node, ast.Call) and called(node) == "f" and node.args:
        node = node.args[0]
    value = node.value if isinstance(node, ast.Constant) else ""
    return value if isinstance(value, str) else ""
