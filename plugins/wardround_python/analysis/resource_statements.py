"""Statements that use, close and release a resource, and statements that may leave a block."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import unparse, walk

_CAN_RAISE = (ast.Call, ast.Await, ast.Raise, ast.Return, ast.Yield, ast.YieldFrom)


def statements_after(parent: ast.AST, statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements after a statement in its block."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            return block[block.index(statement) + 1 :]
    return []


def closes_resource(statement: ast.stmt, name: str, closers: frozenset[str]) -> bool:
    """Return True if a statement only closes the resource of a name."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    call = call.value if isinstance(call, ast.Await) else call
    called = call.func if isinstance(call, ast.Call) else None
    return (
        isinstance(called, ast.Attribute)
        and called.attr in closers
        and isinstance(called.value, ast.Name)
        and called.value.id == name
    )


def calls_in(function: FunctionNode) -> list[ast.Call]:
    """Return the calls in a function, those of nested functions included."""
    return [n for n in walk(function) if isinstance(n, ast.Call)]


def passes_first(call: ast.Call, name: str) -> bool:
    """Return True if a call has a name as its first argument."""
    return bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id == name


def acts_on(call: ast.Call, name: str) -> bool:
    """Return True if a call is a method of a name, or has it as its first argument."""
    if passes_first(call, name):
        return True
    return isinstance(call.func, ast.Attribute) and unparse(call.func.value) == name


def strip_await(value: ast.expr | None) -> ast.expr | None:
    """Return the operand of ``await``; another value itself."""
    return value.value if isinstance(value, ast.Await) else value


def first_risk(statements: Sequence[ast.stmt]) -> ast.stmt | ast.expr | None:
    """Return the first node of statements at which their block may be left."""
    return next((node for node in nodes_run_by(statements) if isinstance(node, _CAN_RAISE)), None)


def leaving(risk: ast.stmt | ast.expr) -> str:
    """Describe how a node leaves its block: ``line 4 raises``."""
    return f"line {risk.lineno} {'returns' if isinstance(risk, ast.Return) else 'raises'}"
