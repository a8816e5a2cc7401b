"""Literal values in tests, by which two versions of a test can be compared."""

from __future__ import annotations

import ast

from wardround.lazy import LazyPattern

_KIND = LazyPattern(r"[A-Z]\w*[a-z]\w*$|(date|datetime|time|timedelta|set|frozenset|dict)$")
"""Names of calls that only build a value from their arguments."""


def is_written_out(node: ast.expr | None) -> bool:
    """Return True if a value is a literal, or an object built from literals only."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, (ast.USub, ast.UAdd)) and is_written_out(node.operand)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(map(is_written_out, node.elts))
    if isinstance(node, ast.Dict):
        return all(map(is_written_out, (*node.keys, *node.values)))
    return isinstance(node, ast.Call) and _is_literal_call(node)


def _is_literal_call(call: ast.Call) -> bool:
    """Return True if a call builds an object from literals."""
    arguments = (*call.args, *(k.value for k in call.keywords))
    is_kind = _KIND.match(_last_name(call.func)) is not None
    return is_kind and bool(arguments) and all(map(is_written_out, arguments))


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
