"""Arguments of calls."""

from __future__ import annotations

import ast


def keyword_values(call: ast.Call, *names: str) -> list[ast.expr]:
    """Return the values of the keywords with one of the names, in the order of the call."""
    return [keyword.value for keyword in call.keywords if keyword.arg in names]


def passed_values(call: ast.Call) -> list[ast.expr]:
    """Return the values of all arguments, those of spread mappings included."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def spreads_keywords(call: ast.Call) -> bool:
    """Return True if a call gets ``**keywords``."""
    return any(keyword.arg is None for keyword in call.keywords)


def called_method(call: ast.Call) -> str:
    """Return the name of the method that is called; empty for other calls."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""
