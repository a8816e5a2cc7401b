"""Scopes of Python source and the calls in them."""

from __future__ import annotations

import ast

from msgspec import Struct, field


class PythonScope(Struct):
    """Module or function with the values bound to its names."""

    names: dict[str, list[ast.expr]] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    outer: PythonScope | None = None
    node: ast.AST | None = None
    down: bool = False


class CallSite(Struct):
    """Call and its scope."""

    node: ast.Call
    scope: PythonScope
    name: str


def callee_name(call: ast.Call) -> str:
    """Return the last part of the name of the called object."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
