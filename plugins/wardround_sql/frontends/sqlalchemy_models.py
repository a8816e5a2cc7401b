"""Tables and statements of SQLAlchemy and Django in Python, as the SQL that they run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from wardround.languages.python.tree import unparse, walk
from wardround_sql.frontends.python_code import SqlModule
from wardround_sql.frontends.python_scopes import CallSite, callee_name
from wardround_sql.frontends.sqlalchemy_columns import declared_column, declared_type, first_line
from wardround_sql.frontends.string_assembly import (
    AssembledText,
    SqlAssembler,
    every_row,
    join_columns,
    quote_identifier,
)

_NARROWS = frozenset({"where", "filter", "filter_by", "whereclause", "exclude", "get", "in_", "limit", "join",
                      "having", "with_parent", "select_from", "first", "order_by", "execution_options_where",
                      "from_select", "using", "correlate", "intersection", "union",
                      "difference"})  # fmt: skip
_RUNS = frozenset({"execute", "scalar", "scalars"})
_PYTHON_TYPES = {"float": "double precision", "int": "integer", "str": "text", "bool": "boolean",
                 "datetime": "timestamp", "datetime.datetime": "timestamp", "Decimal": "numeric"}  # fmt: skip


def models(module: SqlModule) -> Iterator[AssembledText]:
    """Yield the tables of SQLAlchemy's declarative classes."""
    zoned = "timezone=True" in module.text
    for item in module.classes:
        table = _table_name(item) or (item.name if _is_mixin(item) else "")
        if not table:
            continue
        writer, count, indexed = SqlAssembler(), 0, []
        start = module.place_of(item.lineno, item.col_offset)
        writer.add(f"CREATE TABLE {quote_identifier(table)} (", start, 5)
        for statement in item.body:
            name, value, typed = _attribute(statement)
            result = declared_column(value, name, typed) if value is not None else None
            if result is None:
                continue
            sql = result.head if zoned else result.head.replace(" timestamp", " timestamptz", 1)
            writer.add(
                (", " if count else "") + sql,
                module.place_of(statement.lineno, statement.col_offset),
                len(name),
            )
            if result.target is not None:
                writer.add(result.reference, module.place(result.target)[0], len("ForeignKey"))
            indexed += [(result.name,)] if result.indexed else []
            count += 1
        writer.add(")", start, 5)
        for columns in (*indexed, *_arguments(item)):
            writer.add(f"; CREATE INDEX ON {quote_identifier(table)} ({join_columns(columns)})", start, 5)
        if count:
            yield writer.text()


def _is_mixin(item: ast.ClassDef) -> bool:
    """Return True if a class without a table provides columns to mapped classes."""
    typed = [s.value for s in item.body if isinstance(s, (ast.AnnAssign, ast.Assign))]
    return any(isinstance(v, ast.Call) and callee_name(v) in ("mapped_column", "Column") for v in typed)


def annotation_types(module: SqlModule) -> Iterator[AssembledText]:
    """Return ``type_annotation_map``: the types of columns that are only annotated."""
    for value in module.members.get("type_annotation_map", ()):
        if not isinstance(value, ast.Dict):
            continue
        for key, kind in zip(value.keys, value.values, strict=True):
            typed = declared_type(kind)
            if key is not None and unparse(key).endswith("datetime") and typed:
                writer = SqlAssembler()
                start, _end = module.place(key)
                writer.add(f'CREATE TABLE "every table" ("datetime" {typed})', start, len(unparse(key)))
                yield writer.text()


def _table_name(item: ast.ClassDef) -> str:
    for statement in item.body:
        if _assigns(statement, "__tablename__") and isinstance(statement.value, ast.Constant):
            return str(statement.value.value)
    return ""


def _assigns(statement: ast.stmt, name: str) -> TypeGuard[ast.Assign]:
    if not isinstance(statement, ast.Assign):
        return False
    return any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)


def _attribute(statement: ast.stmt) -> tuple[str, ast.expr | None, str]:
    """Return the name of a class attribute, its value, and the SQL type of its annotation."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id, statement.value, ""
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        text = unparse(statement.annotation)
        inside = text.partition("[")[2].rpartition("]")[0] or text
        plain = inside.removeprefix("Optional[").rstrip("]").split(" | ")[0]
        return statement.target.id, statement.value, _PYTHON_TYPES.get(plain, "")
    return "", None, ""


def _arguments(item: ast.ClassDef) -> Iterator[tuple[str, ...]]:
    """Yield the columns of the indexes and keys in ``__table_args__``."""
    for statement in item.body:
        if not _assigns(statement, "__table_args__"):
            continue
        for node in walk(statement):
            if isinstance(node, ast.Call) and callee_name(node) in _KEYS_OF_TABLE:
                yield _key_columns(node)


_KEYS_OF_TABLE = ("Index", "UniqueConstraint", "PrimaryKeyConstraint")


def _key_columns(key: ast.Call) -> tuple[str, ...]:
    names = [name for name in map(_argument_name, key.args) if name]
    columns = names[1:] if callee_name(key) == "Index" else names
    return tuple(columns) or ("?",)


def _argument_name(node: ast.expr) -> str:
    value = node.value if isinstance(node, ast.Constant) else getattr(node, "attr", getattr(node, "id", ""))
    return value if isinstance(value, str) else ""


def full_table_writes(module: SqlModule) -> Iterator[AssembledText]:
    """Yield the UPDATE and DELETE of every row in ORM code."""
    for call in module.calls:
        if call.scope.down or call.name not in ("update", "delete", "values"):
            continue
        result = _write(module, call)
        if result is not None:
            verb, table, columns = result
            writer = SqlAssembler()
            sql = every_row(verb, table, columns)
            start = module.place(call.node)[0]
            writer.add(sql, start, first_line(module, call.node))
            yield writer.text()


def _write(module: SqlModule, call: CallSite) -> _Write | None:
    """Return verb, table and columns of a write; None if it is not one, or not of every row."""
    steps, root = _chain(call.node)
    names = [callee_name(step) for step in steps]
    if any(name in _NARROWS for name in names):
        return None
    if names[-1] == "values":
        return _core(module, call, steps, root)
    written = _manager_write(steps, root) or _query_write(steps)
    if written is not None:
        return written
    if isinstance(root, ast.Attribute) and _is_class_query(steps, root):
        return _class_query_write(steps[0], root)
    return _core(module, call, steps, root)


_Write = tuple[str, str, list[str]]


def _manager_write(steps: list[ast.Call], root: ast.expr) -> _Write | None:
    verb = callee_name(steps[-1])
    model = _manager_model(steps, root)
    columns = [keyword.arg for keyword in steps[-1].keywords if keyword.arg]
    if not model or (verb != "delete" and not columns):
        return None
    return verb, _model_name(model), columns


def _query_write(steps: list[ast.Call]) -> _Write | None:
    write = steps[-1]
    verb = callee_name(write)
    queried = _queried_class(steps)
    if not queried or (verb != "delete" and not write.args):
        return None
    return verb, queried, _keys(write.args[0] if write.args else None)


def _is_class_query(steps: list[ast.Call], root: ast.Attribute) -> bool:
    """Return True for ``Class.query.delete()`` and ``Class.query.update(values)``."""
    if root.attr != "query" or len(steps) != 1:
        return False
    return (callee_name(steps[0]) == "update") == bool(steps[0].args)


def _class_query_write(write: ast.Call, root: ast.Attribute) -> _Write | None:
    owner = unparse(root.value)
    if not owner[:1].isupper():
        return None
    return callee_name(write), owner, _keys(write.args[0] if write.args else None)


def _manager_model(steps: list[ast.Call], root: ast.expr) -> str:
    """Return the model of ``Model.objects.update()`` or ``.all().update()``; empty for other chains."""
    if list(map(callee_name, steps[:-1])) not in ([], ["all"]) or steps[-1].args:
        return ""
    match root:
        case ast.Attribute(attr="objects", value=ast.Name() | ast.Attribute() as owner):
            model = unparse(owner)
            return model if _model_name(model)[:1].isupper() else ""
    return ""


def _queried_class(steps: list[ast.Call]) -> str:
    """Return the class of ``query(Class).update()``; empty for other chains."""
    if [callee_name(step) for step in steps[:-1]] != ["query"] or len(steps[0].args) != 1:
        return ""
    owner = steps[0].args[0]
    return unparse(owner) if isinstance(owner, (ast.Name, ast.Attribute)) else ""


def _core(module: SqlModule, call: CallSite, steps: list[ast.Call], root: ast.expr) -> _Write | None:
    """Return ``update(table)``, ``table.delete()`` and the like that are passed to a database."""
    runner = module.parents.get(id(call.node))
    if runner is None or callee_name(runner) not in _RUNS or runner.args[:1] != [call.node]:
        return None
    verb = callee_name(steps[0])
    if verb not in ("update", "delete") or not set(map(callee_name, steps)) <= {"update", "delete", "values"}:
        return None
    columns = _set_columns(steps)
    table = module.table_name(_core_table(steps[0], root), call.scope)
    if not table or (verb == "update" and not columns):
        return None
    return verb, table, columns


def _set_columns(steps: list[ast.Call]) -> list[str]:
    """Return the columns that keywords of ``values()`` set, then those that dictionaries set."""
    columns: list[str] = []
    for step in steps:
        if callee_name(step) == "values":
            columns += [keyword.arg for keyword in step.keywords if keyword.arg]
    for step in steps[1:]:
        for argument in step.args:
            columns += _keys(argument)
    return columns


def _core_table(first: ast.Call, root: ast.expr) -> str:
    """Return the table of ``update(table)``, ``sa.update(table)`` or ``table.update()``."""
    if isinstance(first.func, ast.Name):
        return unparse(first.args[0]) if first.args else ""
    is_function = isinstance(first.func, ast.Attribute) and bool(first.args) and unparse(root) == "sa"
    return unparse(first.args[0] if is_function else root)


def _chain(call: ast.Call) -> tuple[list[ast.Call], ast.expr]:
    """Return the calls of ``a.b().c()`` from first to last, and the object of the first."""
    steps, function = [call], call.func
    while isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
        steps.insert(0, function.value)
        function = function.value.func
    return steps, function.value if isinstance(function, ast.Attribute) else function


def _keys(node: ast.expr | None) -> list[str]:
    if not isinstance(node, ast.Dict):
        return []
    return [
        str(key.value) if isinstance(key, ast.Constant) else getattr(key, "attr", "?")
        for key in node.keys
        if key
    ]


def _model_name(name: str) -> str:
    return name.split(".")[-1]
