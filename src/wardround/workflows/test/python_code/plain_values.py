"""Assignments whose only effect is the value of their names."""

from __future__ import annotations

import ast

from wardround.languages.python.module import last_name

_PURE_CALLS = frozenset(
    {"compile", "frozenset", "set", "dict", "list", "tuple", "int", "float", "str", "bytes", "len", "sum",
     "min", "max", "sorted", "range", "Decimal", "Fraction", "Path", "PurePath", "timedelta", "join", "strip",
     "split", "lower", "upper", "keys", "values", "items", "MappingProxyType", "object", "getenv"}
)  # fmt: skip
"""Calls without an effect of their own, by the last part of their name."""
_READ_BY_NAME = ("__", "pytest", "test", "collect_ignore")
"""The beginnings of names that Python, pytest and unittest look up by themselves."""


def binds_plain_value(node: ast.stmt) -> bool:
    """Return True for an assignment of names that calls nothing with an effect of its own."""
    if isinstance(node, ast.Assign):
        targets, value = node.targets, node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        targets, value = [node.target], node.value
    else:
        return False
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    if len(names) != len(targets) or any(name.lower().startswith(_READ_BY_NAME) for name in names):
        return False
    return all(map(_is_plain, ast.walk(value)))


def _is_plain(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return last_name(node.func) in _PURE_CALLS
    return not isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda)
