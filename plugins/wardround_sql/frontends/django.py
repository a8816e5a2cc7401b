"""Django migrations and models as the SQL that they run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.tree import unparse
from wardround_sql.frontends.python_code import SqlModule
from wardround_sql.frontends.python_scopes import callee_name
from wardround_sql.frontends.string_assembly import AssembledText, SqlAssembler, quote_identifier

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
        if callee_name(item) == "SeparateDatabaseAndState":
            inside = {k.arg: k.value for k in item.keywords}.get("database_operations")
            yield from _operations(inside) if inside is not None else ()
        elif callee_name(item) in _OPERATIONS:
            yield item


def _sql(module: SqlModule, call: ast.Call, created: set[str]) -> str | AssembledText:
    operation = callee_name(call)
    arguments = _arguments(call)
    text = {key: str(getattr(value, "value", "")) for key, value in arguments.items()}
    table = quote_identifier(text.get("model_name", text.get("old_name", text.get("name", ""))).lower())
    column = quote_identifier(text.get("name", ""))
    match operation:
        case "CreateModel":
            created.add(table)
            return _create_table_sql(module, table, arguments.get("fields"), call)
        case "AddField":
            return _add_field(module, table, column, arguments.get("field"))
        case "AlterField" if table in created:
            return ""
        case "AlterField":
            return _alter_field(table, column, arguments.get("field"))
        case "AddConstraint":
            return _add_constraint(table, arguments.get("constraint"))
    new_name = text.get("new_name", "")
    if operation == "RenameModel":
        new_name = new_name.lower()
    old_name = quote_identifier(text.get("old_name", ""))
    statement = _PLAIN_OPERATIONS.get(operation, "")
    return statement.format(table=table, column=column, old=old_name, new=quote_identifier(new_name))


def _add_field(module: SqlModule, table: str, column: str, declaration: ast.expr | None) -> str:
    is_own = not _is_of_django(module, declaration)
    declared = field(column, declaration, own=is_own)
    return f"ALTER TABLE {table} ADD COLUMN {declared}" if declared else ""


def _alter_field(table: str, column: str, declaration: ast.expr | None) -> str:
    is_indexed = _options(declaration).get("db_index") is True
    if not is_indexed or called_of(declaration) in _KEYS:
        return ""
    return f"CREATE INDEX ON {table} ({column})"


def _add_constraint(table: str, constraint: ast.expr | None) -> str:
    match called_of(constraint):
        case "CheckConstraint":
            return f"ALTER TABLE {table} ADD CHECK (c > 0)"
        case "UniqueConstraint":
            return f"ALTER TABLE {table} ADD UNIQUE (c)"
    return ""


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
        callee_name(call), ("name",) if callee_name(call).endswith("Model") else ("model_name", "name")
    )
    arguments = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    arguments.update(zip(names, call.args, strict=False))
    return arguments


def called_of(node: ast.expr | None) -> str:
    """Return the last part of the callee's name; empty for other nodes."""
    return callee_name(node) if isinstance(node, ast.Call) else ""


def _create_table_sql(
    module: SqlModule, table: str, fields: ast.expr | None, call: ast.Call
) -> AssembledText:
    writer = SqlAssembler()
    start = module.place(call)[0]
    writer.add(f"CREATE TABLE {table} (id bigint PRIMARY KEY", start, len(unparse(call.func)))
    for pair in getattr(fields, "elts", []):
        parts = getattr(pair, "elts", [])
        if len(parts) == 2 and isinstance(parts[0], ast.Constant):
            sql = field(quote_identifier(str(parts[0].value)), parts[1])
            if sql:
                begin, end = module.place(parts[0])
                writer.add(f", {sql}", begin, end - begin)
    writer.add(")", start, len(unparse(call.func)))
    return writer.text()


def django_models(module: SqlModule) -> Iterator[AssembledText]:
    """Yield the tables of Django's model classes."""
    if not any(name.startswith("django.db") for name in module.imports):
        return
    for model in module.classes:
        if not _has_indexes_in_meta(model):
            yield from _model_table(module, model)


def _model_table(module: SqlModule, model: ast.ClassDef) -> Iterator[AssembledText]:
    """Yield the table of a class; nothing if it has no fields."""
    writer = SqlAssembler()
    start = module.place_of(model.lineno, model.col_offset)
    writer.add(f"CREATE TABLE {quote_identifier(model.name)} (id bigint PRIMARY KEY", start, 5)
    has_fields = False
    for statement in model.body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        name = _name(statement.targets[0])
        column = field(quote_identifier(name), statement.value, modelled=True) if name else ""
        if column:
            offset = module.place_of(statement.lineno, statement.col_offset)
            writer.add(f", {column}", offset, len(name))
            has_fields = True
    writer.add(")", start, 5)
    if has_fields:
        yield writer.text()


def _has_indexes_in_meta(model: ast.ClassDef) -> bool:
    for statement in model.body:
        if isinstance(statement, ast.ClassDef) and statement.name == "Meta":
            code = unparse(statement)
            return any(word in code for word in ("index", "unique", "constraints"))
    return False


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
    return quote_identifier(text.rsplit(".", 1)[-1] if isinstance(text, str) else "other")


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
        own: True if the class is not Django's; it is required only if the migration states so.
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
