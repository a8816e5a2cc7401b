"""Tables that Alembic creates, as SQL."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from wardround_sql.frontends.python_code import SqlModule
from wardround_sql.frontends.python_scopes import callee_name
from wardround_sql.frontends.sqlalchemy_columns import (
    constant_text,
    declared_column,
    delete_action,
    first_line,
    keywords_of,
)
from wardround_sql.frontends.string_assembly import (
    AssembledText,
    SqlAssembler,
    join_columns,
    quote_identifier,
)


class _TablePart(NamedTuple):
    """Column or constraint of ``create_table``: its SQL, the node that names it, the column it indexes."""

    sql: str
    node: ast.expr
    indexed_column: str = ""


def created_table(module: SqlModule, call: ast.Call, start: int, width: int) -> Iterator[AssembledText]:
    table = constant_text(call.args[0]) if call.args else ""
    if not table:
        return
    parts = [part for part in map(_table_element, call.args[1:]) if part is not None]
    if not parts:
        return
    writer = SqlAssembler()
    writer.add(f"CREATE TABLE {quote_identifier(table)} (", start, width)
    separator = ""
    for part in parts:
        offset = module.place(part.node)[0]
        writer.add(separator + part.sql, offset, first_line(module, part.node))
        separator = ", "
    writer.add(")", start, width)
    for part in parts:
        if part.indexed_column:
            index = f"; CREATE INDEX ON {quote_identifier(table)} ({quote_identifier(part.indexed_column)})"
            writer.add(index, start, width)
    yield writer.text()


def _table_element(argument: ast.expr) -> _TablePart | None:
    """Return an argument of ``create_table`` as SQL; None if no rule inspects it."""
    if not isinstance(argument, ast.Call):
        return None
    if callee_name(argument) != "Column":
        constraint = _constraint_sql(argument)
        return _TablePart(constraint, argument) if constraint else None
    column = declared_column(argument)
    if column is None:
        return None
    return _TablePart(column.sql, argument.args[0], column.name if column.indexed else "")


def _constraint_sql(part: ast.Call) -> str:
    """Return a table constraint as SQL; empty if no rule inspects it."""
    match callee_name(part):
        case "PrimaryKeyConstraint" | "UniqueConstraint":
            names = [constant_text(arg) for arg in part.args]
            kind = "PRIMARY KEY" if callee_name(part) == "PrimaryKeyConstraint" else "UNIQUE"
            return f"{kind} ({join_columns(names)})" if names and all(names) else ""
        case "ForeignKeyConstraint" if len(part.args) > 1:
            return _key_constraint(part)
    return ""


def _key_constraint(part: ast.Call) -> str:
    local, remote = ([constant_text(node) for node in getattr(names, "elts", [])] for names in part.args[:2])
    if not local or not remote or not all(local) or not all(remote):
        return ""
    target = quote_identifier(remote[0].rsplit(".", 1)[0])
    return f"FOREIGN KEY ({join_columns(local)}) REFERENCES {target}{delete_action(keywords_of(part))}"
