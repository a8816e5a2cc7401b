"""Stub statements, which only return literals."""

from __future__ import annotations

import ast

from wardround.languages.python.module import FunctionNode
from wardround.lazy import LazyPattern

# Constructors that wrap a constant.
_MADE_OF_CONSTANTS = LazyPattern(
    r"Decimal|Money|Fraction|timedelta|date|datetime|jsonify|\w*Response|\w*Result|\w*Quote|\w*Status"
    r"|UUID|dict"
)
_TALKS = frozenset({"debug", "info", "warning", "warn", "error", "print", "log"})


def returns_only(node: FunctionNode) -> bool:
    body = body_after_docstring(node)
    return len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None


def states_reason(statement: ast.stmt) -> bool:
    raised = statement.exc if isinstance(statement, ast.Raise) else None
    return isinstance(raised, ast.Call) and bool(raised.args)


def body_after_docstring(node: FunctionNode) -> list[ast.stmt]:
    first = node.body[0]
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return node.body[1:]
    return node.body


def is_stub(statement: ast.stmt) -> bool:
    """Return True if a statement is ``pass``, ``...``, a constant, or a bare NotImplementedError."""
    if isinstance(statement, ast.Raise):
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Return):
        return statement.value is None or _is_fixed(statement.value)
    return isinstance(statement, ast.Pass)


def _is_fixed(value: ast.expr) -> bool:
    """Return True if a value is a literal: a constant, or a collection of constants."""
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return all(map(_is_fixed, value.elts))
    if isinstance(value, ast.Dict):
        return all(key is not None and _is_fixed(key) for key in value.keys) and all(
            map(_is_fixed, value.values)
        )
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.operand, ast.Constant)
    if isinstance(value, ast.Call):
        return _is_built_from_constants(value)
    return isinstance(value, ast.Constant)


def _is_built_from_constants(value: ast.Call) -> bool:
    """Return True if a value is made from constants: ``Decimal("4.90")``, ``jsonify(status="done")``."""
    creation = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    arguments = [*value.args, *(keyword.value for keyword in value.keywords)]
    return (
        _MADE_OF_CONSTANTS.fullmatch(creation) is not None
        and bool(arguments)
        and all(map(_is_fixed, arguments))
    )


def only_talks(statement: ast.stmt) -> bool:
    """Return True if a statement only logs or prints."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    called = statement.value.func
    return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) in _TALKS
