"""Which values of a test stand there as they are, so that two versions of it can be compared by them."""

from __future__ import annotations

import ast

from wardround.checks.lazy import LazyPattern

_KIND = LazyPattern(r"[A-Z]\w*[a-z]\w*$|(date|datetime|time|timedelta|set|frozenset|dict)$")
"""The names of calls that only make a value of what they are given."""


def is_written_out(node: ast.expr) -> bool:
    """Return True if a value stands there as it is: a literal, or an object that is made of such alone."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, (ast.USub, ast.UAdd)) and is_written_out(node.operand)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(map(is_written_out, node.elts))
    if isinstance(node, ast.Dict):
        return all(k is not None and is_written_out(k) for k in node.keys) and all(
            map(is_written_out, node.values)
        )
    if isinstance(node, ast.Call):
        is_kind = _KIND.match(_last_name(node.func)) is not None
        given = (*node.args, *(k.value for k in node.keywords))
        return is_kind and bool(given) and all(map(is_written_out, given))
    return False


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
