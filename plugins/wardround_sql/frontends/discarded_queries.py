"""Query methods of SQLAlchemy and Django whose result is discarded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround_sql.frontends.python_code import SqlModule
from wardround_sql.frontends.python_scopes import CallSite, PythonScope, callee_name
from wardround_sql.frontends.sqlalchemy_chains import FILTERS, ROOTS, is_root
from wardround_sql.frontends.string_assembly import (
    DiscardedCall,
)


def _discarded_calls(module: SqlModule) -> Iterator[ast.Call]:
    """Return the calls that narrow a statement and discard the result."""
    narrowing = (*FILTERS, "filter_by", "order_by", "limit", "offset")
    return (call for call in module.bare if callee_name(call) in narrowing)


def discarded_narrowing(module: SqlModule) -> Iterator[DiscardedCall]:
    """Yield calls that narrow the statement bound to a name, and discard the result."""
    dropped = {id(call) for call in _discarded_calls(module)}
    if not dropped:
        return
    for call in module.calls:
        owner = _owner_of(call.node) if id(call.node) in dropped else ""
        values = call.scope.names.get(owner, []) if owner else []
        if values and all(map(_is_statement, values)):
            start, end = module.place(call.node)
            line = module.text[start:end].split("\n", 1)[0]
            yield DiscardedCall(start, start + len(line), owner, call.name)


def _owner_of(call: ast.Call) -> str:
    """Return the receiver of a method call; empty for other calls."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=name)):
            return name
    return ""


def _is_statement(value: ast.expr) -> bool:
    """Return True if a value is a SQLAlchemy statement or a Django queryset, also after narrowing."""
    node: ast.expr = value
    while isinstance(node, ast.Call):
        if callee_name(node) in ROOTS and is_root(CallSite(node, PythonScope(), callee_name(node))):
            return True
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        if isinstance(node, ast.Attribute) and node.attr == "objects":
            return True
    return isinstance(node, ast.Name) and node is not value and called_narrowing(value)


def called_narrowing(value: ast.expr) -> bool:
    """Return True if a value is a narrowing call on a name: ``stmt.where(...)``."""
    return isinstance(value, ast.Call) and callee_name(value) in (
        *FILTERS,
        "filter_by",
        "order_by",
        "limit",
        "offset",
    )
