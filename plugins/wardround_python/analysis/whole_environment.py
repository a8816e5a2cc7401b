"""Expressions that contain every variable of the environment: ``json.dumps(dict(os.environ))``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.languages.python.literals import assigned_value
from wardround.languages.python.module import PythonModule, last_name

_ENVIRONMENTS = frozenset({"os.environ", "os.environb"})
_KEEPS = frozenset(
    {
        "dict", "str", "repr", "bytes", "dumps", "urlencode", "b64encode", "urlsafe_b64encode", "hexlify",
        "compress", "pformat", "deepcopy", "quote", "quote_plus", "OrderedDict", "BytesIO", "StringIO",
    }
)  # fmt: skip
"""Calls whose result contains their complete argument."""
_KEEPS_PAIRS = frozenset({"list", "sorted", "tuple", "join"})
"""Calls that preserve the pairs of ``items()``; for a mapping they only preserve the names."""
_SAME = frozenset({"copy", "encode", "decode", "items", "values"})
"""Methods whose result contains their complete receiver."""


def contains_environment(module: PythonModule, node: ast.expr | None, deep: int = 5) -> bool:
    """Return True if a value contains all variables of the environment, not chosen ones.

    Args:
        deep: the number of names that are followed to their only assignment.
    """
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _is_environment(module, node) or (
            deep > 0 and contains_environment(module, assigned_value(module, node), deep - 1)
        )
    return any(contains_environment(module, part, deep) for part in _contained_values(node))


def _contained_values(node: ast.expr | None) -> Sequence[ast.expr | None]:
    """Return the expressions whose values a composed expression contains."""
    match node:
        case ast.Dict():
            return node.values
        case ast.List() | ast.Tuple() | ast.Set():
            return node.elts
        case ast.JoinedStr():
            return [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        case ast.BinOp():
            return [node.left, node.right]
        case ast.DictComp() | ast.ListComp() | ast.GeneratorExp():
            return _iterated_values(node)
        case ast.Call():
            return _expressions_in_result(node)
        case _:
            return ()


def _is_environment(module: PythonModule, node: ast.expr) -> bool:
    return module.imported_name(node) in _ENVIRONMENTS


def _iterated_values(node: ast.DictComp | ast.ListComp | ast.GeneratorExp) -> list[ast.expr]:
    """Return the mapping whose pairs or values a comprehension iterates over; nothing if it has a
    condition.
    """
    first = node.generators[0]
    is_complete = len(node.generators) == 1 and not first.ifs and _reads_values(first.iter)
    return [first.iter] if is_complete else []


def _expressions_in_result(node: ast.Call) -> list[ast.expr]:
    """Return the expressions whose complete value is in the result of a call."""
    name = last_name(node.func)
    if name in _KEEPS:
        return [*node.args, *(keyword.value for keyword in node.keywords)]
    if name in _KEEPS_PAIRS:
        return [value for value in node.args if _reads_values(value)]
    if name in _SAME and isinstance(node.func, ast.Attribute):
        return [node.func.value]
    return [*node.args] if name == "format" else []


def _reads_values(node: ast.expr) -> bool:
    """Return True for a call of ``items`` or ``values``, or an expression built from such a call."""
    if isinstance(node, ast.Call):
        return last_name(node.func) in ("items", "values") or any(map(_reads_values, node.args))
    return isinstance(node, (ast.ListComp, ast.GeneratorExp))
