"""Django migrations and models as the SQL that they run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.tree import unparse
from wardround_sql.frontends.python_code import SqlModule, called
from wardround_sql.frontends.string_assembly import AssembledText, SqlAssembler, quoted

_TYPES = {"FloatField": "double precision", "DecimalField": "numeric", "DateTimeField": "timestamptz"}
_KEYS = ("ForeignKey", "OneToOneField")
_FILLED = ("default", "db_default", "auto_now", "auto_now_add", "generated", "expression")
_OPERATIONS = frozenset({"AddField", "RemoveField", "RenameField", "AlterField", "DeleteModel", "RenameModel",
                         "AddIndex", "AddConstraint", "CreateModel", "AddIndexConcurrently",
                         "RemoveIndexConcurrently"})  # fmt: skip


def django_migration(module: SqlModule) -> Iterator[AssembledText]:
    """Yield the SQL of a migration's operations; state-only operations run none."""
    for item in module.classes:
        listed = [s for s in item.body if isinstance(s, ast.Assign) and _name(s.targets[0]) == "operations"]
        created: set[str] = set()
        for statement in listed:
            for call in _operations(statement.value):
                sql = _sql(module, call, created)
                if isinstance(sql, AssembledText):
                    yield sql
                elif sql:
                    writer = SqlAssembler()
                    writer.add(sql, module.place(call)[0], len(unparse(call.func)))
                    yield writer.text()


def _operations(node: ast.expr) -> Iterator[ast.Call]:
    for item in getattr(node, "elts", []):
        if not isinstance(item, ast.Call):
            continue
        if called(item) == "SeparateDatabaseAndState":
            inside = {k.arg: k.value for k in item.keywords}.get("database_operations")
            yield from _operations(inside) if inside is not None else ()
        elif called(item) in _OPERATIONS:
            yield item


def _sql(module: SqlModule, call: ast.Call, created: set[str]) -> str | AssembledText:
    operation = called(call)
    arguments = _arguments(call)
    text = {key: str(getattr(value, "value", "")) for key, value in arguments.items()}
    table = quoted(text.get("model_name", text.get("old_name", text.get("name", ""))).lower())
    column = quoted(text.get("name", ""))
    match operation:
        case "CreateModel":
            created.add(table)
            return _created(module, table, arguments.get("fields"), call)
        case "AddField":
            is_own = not _is_of_django(module, arguments.get("field"))
            declared = field(column, arguments.get("field"), own=is_own)
            return f"ALTER TABLE {table} ADD COLUMN {declared}" if declared else ""
        case "AlterField":
            options = _options(arguments.get("field"))
            indexed = options.get("db_index") is True and called_of(arguments.get("field")) not in _KEYS
            return f"CREATE INDEX ON {table} ({column})" if indexed and table not in created else ""
        case "AddConstraint":
            kind = called_of(arguments.get("constraint"))
            added = {"CheckConstraint": "CHECK (c > 0)", "UniqueConstraint": "UNIQUE (c)"}.get(kind, "")
            return f"ALTER TABLE {table} ADD {added}" if added else ""
    plain = _PLAIN_OPERATIONS.get(operation, "")
    new = quoted(text.get("new_name", "").lower() if operation == "RenameModel" else text.get("new_name", ""))
    return plain.format(table=table, column=column, old=quoted(text.get("old_name", "")), new=new)


_PLAIN_OPERATIONS = {
    "RemoveField": "ALTER TABLE {table} DROP COLUMN {column}",
    "RenameField": "ALTER TABLE {table} RENAME COLUMN {old} TO {new}",
    "DeleteModel": "DROP TABLE {table}",
    "RenameModel": "ALTER TABLE {table} RENAME TO {new}",
    "AddIndex": "CREATE INDEX ON {table} (c)",
    "AddIndexConcurrently": "CREATE INDEX CONCURRENTLY ON {table} (c)",
    "RemoveIndexConcurrently": "DROP INDEX CONCURRENTLY {column}",
}
_PARAMETERS = {
    "RenameField": ("model_name", "old_name", "new_name"),
    "RenameModel": ("old_name", "new_name"),
    "AddIndex": ("model_name", "index"),
    "AddIndexConcurrently": ("model_name", "index"),
    "AddConstraint": ("model_name", "constraint"),
    "AddField": ("model_name", "name", "field"),
    "AlterField": ("model_name", "name", "field"),
    "CreateModel": ("name", "fields"),
    "DeleteModel": ("name",),
}
"""Positional parameters of the operations; of all others the names of the model and the object."""


def _arguments(call: ast.Call) -> dict[str, ast.expr]:
    """Return the arguments of an operation by parameter."""
    names = _PARAMETERS.get(
        called(call), ("name",) if called(call).endswith("Model") else ("model_name", "name")
    )
    arguments = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    arguments.update(zip(names, call.args, strict=False))
    return arguments


def called_of(node: ast.expr | None) -> str:
    """Return the last part of the name of the called object; empty for other nodes."""
    return called(node) if isinstance(node, ast.Call) else ""


def _created(module: SqlModule, table: str, fields: ast.expr | None, call: ast.Call) -> AssembledText:
    writer = SqlAssembler()
    start = module.place(call)[0]
    writer.add(f"CREATE TABLE {table} (id bigint PRIMARY KEY", start, len(unparse(call.func)))
    for pair in getattr(fields, "elts", []):
        parts = getattr(pair, "elts", [])
        if len(parts) == 2 and isinstance(parts[0], ast.Constant):
            sql = field(quoted(str(parts[0].value)), parts[1])
            if sql:
                begin, end = module.place(parts[0])
                writer.add(f", {sql}", begin, end - begin)
    writer.add(")", start, len(unparse(call.func)))
    return writer.text()


def django_models(module: SqlModule) -> Iterator[AssembledText]:
    """Yield the tables of Django's model classes."""
    if not any(name.startswith("django.db") for name in module.imports):
        return
    for item in module.classes:
        writer, count = SqlAssembler(), 0
        start = module.place_of(item.lineno, item.col_offset)
        writer.add(f"CREATE TABLE {quoted(item.name)} (id bigint PRIMARY KEY", start, 5)
        for statement in item.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
                name = _name(statement.targets[0])
                sql = field(quoted(name), statement.value, modelled=True) if name else ""
                if sql:
                    begin = module.place_of(statement.lineno, statement.col_offset)
                    writer.add(f", {sql}", begin, len(name))
                    count += 1
        writer.add(")", start, 5)
        meta = next((s for s in item.body if isinstance(s, ast.ClassDef) and s.name == "Meta"), None)
        indexed = unparse(meta) if meta is not None else ""
        if count and not any(word in indexed for word in ("index", "unique", "constraints")):
            yield writer.text()


def _on_delete(node: ast.expr | None) -> str:
    """Return the action on deletion of the referenced row: ``CASCADE``, ``PROTECT`` ..."""
    arguments = {k.arg: k.value for k in node.keywords} if isinstance(node, ast.Call) else {}
    text = arguments.get("on_delete") or (
        node.args[1] if isinstance(node, ast.Call) and len(node.args) > 1 else None
    )
    return str(getattr(text, "attr", getattr(text, "id", "")))


def _target(node: ast.expr | None) -> str:
    """Return the model that a foreign key references."""
    arguments = (
        node.args[:1] or [k.value for k in node.keywords if k.arg == "to"]
        if isinstance(node, ast.Call)
        else []
    )
    text = str(getattr(arguments[0], "value", "")) or unparse(arguments[0]) if arguments else ""
    return quoted(text.rsplit(".", 1)[-1] if isinstance(text, str) else "other")


def _is_of_django(module: SqlModule, node: ast.expr | None) -> bool:
    """Return True for a field of Django itself; others may set ``null`` or a default on their own."""
    written = unparse(node.func) if isinstance(node, ast.Call) else ""
    head, dot, _ = written.partition(".")
    if dot:
        return written.startswith(("models.", "django.")) or any(
            name.startswith("django.") and name.endswith(f".{head}") for name in module.imports
        )
    return any(name.startswith("django.") and name.endswith(f".{head}") for name in module.imports)


def field(name: str, node: ast.expr | None, *, modelled: bool = False, own: bool = False) -> str:
    """Return a model field as a column; empty if it is not a field.

    Args:
        modelled: whether the field belongs to a model, not to a migration: the index of a cascading key is
            omitted, as Django creates it, and UNIQUE represents a requested index.
        own: whether the class is not Django's; it is required only if the migration states so.
    """
    kind = called_of(node)
    if not kind.endswith(("Field", "ForeignKey")) or kind in ("ManyToManyField", "GeneratedField"):
        return ""
    options = _options(node)
    if kind in _KEYS:
        sql = f'{name[:-1]}_id" bigint'
        indexed = (
            kind == "OneToOneField" or options.get("db_index") is not False or options.get("unique") is True
        )
        cascades = _on_delete(node) == "CASCADE"
        if options.get("db_constraint") is not False and (not indexed or (cascades and modelled)):
            sql += (
                f" UNIQUE REFERENCES {_target(node)} ON DELETE CASCADE" if indexed else ' REFERENCES "other"'
            )
    else:
        sql = f"{name} {_TYPES.get(kind, 'text')}"
    may_be_blank = options.get("blank") is True and kind in (
        "CharField",
        "TextField",
        "SlugField",
        "EmailField",
        "URLField",
    )
    required = options.get("null", own) is not True and not may_be_blank
    filled = any(item in options for item in _FILLED) or kind in ("AutoField", "BigAutoField")
    return sql + (" NOT NULL" if required else "") + (" DEFAULT null" if filled else "")


def _options(node: ast.expr | None) -> dict[str, object]:
    keywords = node.keywords if isinstance(node, ast.Call) else []
    return {
        keyword.arg: getattr(keyword.value, "value", keyword.value) for keyword in keywords if keyword.arg
    }


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
