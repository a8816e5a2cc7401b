"""Expressions that contain every variable of the environment: ``json.dumps(dict(os.environ))``."""

from __future__ import annotations

import ast

from wardround.languages.python.literals import value_there
from wardround.languages.python.module import PythonModule, last_name

_ENVIRONMENTS = frozenset({"os.environ", "os.environb"})
_KEEPS = frozenset(
    {
        "dict", "str", "repr", "bytes", "dumps", "urlencode", "b64encode", "urlsafe_b64encode", "hexlify",
        "compress", "pformat", "deepcopy", "quote", "quote_plus", "OrderedDict", "BytesIO", "StringIO",
    }
)  # fmt: skip
"""Calls whose result contains their whole argument."""
_KEEPS_PAIRS = frozenset({"list", "sorted", "tuple", "join"})
"""Calls that keep the pairs of ``items()``; of a mapping they keep the names alone."""
_SAME = frozenset({"copy", "encode", "decode", "items", "values"})
"""Methods whose result contains their whole object."""


def contains_environment(module: PythonModule, node: ast.expr | None, deep: int = 5) -> bool:
    """Return True if a value contains all variables of the environment, not chosen ones.

    Args:
        deep: the number of names that are followed to their only assignment.
    """
    match node:
        case ast.Name() | ast.Attribute():
            return _is_environment(module, node) or (
                deep > 0 and contains_environment(module, value_there(module, node), deep - 1)
            )
        case ast.Dict():
            parts = node.values
        case ast.List() | ast.Tuple() | ast.Set():
            parts = node.elts
        case ast.JoinedStr():
            parts = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        case ast.BinOp():
            parts = [node.left, node.right]
        case ast.DictComp() | ast.ListComp() | ast.GeneratorExp():
            parts = _iterated(node)
        case ast.Call():
            parts = _kept(node)
        case _:
            parts = []
    return any(contains_environment(module, part, deep) for part in parts)


def _is_environment(module: PythonModule, node: ast.expr) -> bool:
    return module.imported_name(node) in _ENVIRONMENTS


def _iterated(node: ast.DictComp | ast.ListComp | ast.GeneratorExp) -> list[ast.expr]:
    """Return what a comprehension takes every pair or value of; nothing if a condition chooses."""
    first = node.generators[0]
    is_complete = len(node.generators) == 1 and not first.ifs and _gives_values(first.iter)
    return [first.iter] if is_complete else []


def _kept(node: ast.Call) -> list[ast.expr]:
    """Return the expressions whose whole value is in the result of a call."""
    name = last_name(node.func)
    if name in _KEEPS:
        return [*node.args, *(keyword.value for keyword in node.keywords)]
    if name in _KEEPS_PAIRS:
        return [value for value in node.args if _gives_values(value)]
    if name in _SAME and isinstance(node.func, ast.Attribute):
        return [node.func.value]
    return [*node.args] if name == "format" else []


def _gives_values(node: ast.expr) -> bool:
    """Return True for a call of ``items`` or ``values``, or what is made of one."""
    if isinstance(node, ast.Call):
        return last_name(node.func) in ("items", "values") or any(map(_gives_values, node.args))
    return isinstance(node, (ast.ListComp, ast.GeneratorExp))
