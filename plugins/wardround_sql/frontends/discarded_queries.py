"""Query methods of SQLAlchemy and Django whose result is discarded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround_sql.frontends.python_code import CallSite, PythonScope, SqlModule, called
from wardround_sql.frontends.sqlalchemy_queries import FILTERS, ROOTS, is_root
from wardround_sql.frontends.string_assembly import (
    Discarded,
)


def _dropped(module: SqlModule) -> Iterator[ast.Call]:
    """Return the calls that narrow a statement and discard the result."""
    narrowing = (*FILTERS, "filter_by", "order_by", "limit", "offset")
    return (call for call in module.bare if called(call) in narrowing)


def discarded_narrowing(module: SqlModule) -> Iterator[Discarded]:
    """Yield calls that narrow the statement bound to a name, and discard the result."""
    dropped = {id(call) for call in _dropped(module)}
    for call in module.calls if dropped else ():
        owner = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
        if id(call.node) in dropped and isinstance(owner, ast.Name):
            values = call.scope.names.get(owner.id, [])
            if values and all(_is_statement(value) for value in values):
                start, end = module.place(call.node)
                line = module.text[start:end].split("\n", 1)[0]
                yield Discarded(start, start + len(line), owner.id, call.name)


def _is_statement(value: ast.expr) -> bool:
    """Return True if a value is a SQLAlchemy statement or a Django queryset, also after narrowing."""
    node: ast.expr = value
    while isinstance(node, ast.Call):
        if called(node) in ROOTS and is_root(CallSite(node, PythonScope(), called(node))):
            return True
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        if isinstance(node, ast.Attribute) and node.attr == "objects":
            return True
    return isinstance(node, ast.Name) and node is not value and called_narrowing(value)


def called_narrowing(value: ast.expr) -> bool:
    """Return True if a value is a narrowing call on a name: ``stmt.where(...)``."""
    return isinstance(value, ast.Call) and called(value) in (
        *FILTERS,
        "filter_by",
        "order_by",
        "limit",
        "offset",
    )
