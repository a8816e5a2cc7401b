"""Operands of the comparisons in assertions, and the originals of copied arguments."""

from __future__ import annotations

import ast

from wardround_tests.models.syntax import equality_operands, last_name

_NEAR = frozenset(
    {
        "assertAlmostEqual", "assertAlmostEquals", "assertListEqual", "assertDictEqual", "assertCountEqual",
        "assertTupleEqual", "assertSetEqual", "assertSequenceEqual", "assertMultiLineEqual",
        "assert_allclose", "assert_array_equal", "assert_almost_equal", "assert_frame_equal",
        "assert_series_equal",
    }
)  # fmt: skip
_CLOSE = frozenset({"isclose", "allclose", "array_equal"})
_COPYING = frozenset({"list", "tuple", "dict", "copy", "deepcopy"})


def compared_operands(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Return the two operands of an assertion of equality, exact or approximate."""
    operands = equality_operands(node) or _approximate_operands(node)
    return None if operands is None else (_exact(operands[0]), _exact(operands[1]))


def _approximate_operands(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    if isinstance(node, ast.Assert):
        return _first_arguments(node.test, _CLOSE)
    return _first_arguments(node, _NEAR)


def _first_arguments(node: ast.AST, names: frozenset[str]) -> tuple[ast.expr, ast.expr] | None:
    """Return the first two arguments of a call of one of some functions."""
    if not isinstance(node, ast.Call) or last_name(node) not in names or len(node.args) < 2:
        return None
    return node.args[0], node.args[1]


def _exact(side: ast.expr) -> ast.expr:
    """Return the operand of ``approx(...)``, or the operand itself."""
    is_near = isinstance(side, ast.Call) and last_name(side) == "approx" and side.args
    return side.args[0] if is_near and isinstance(side, ast.Call) else side


def original(node: ast.expr) -> ast.expr:
    """Return the original of a copied argument.

    ``list(xs)``, ``[*xs]``, ``xs.copy()`` and ``{**xs}`` are ``xs``.
    """
    copied = _copied_by_call(node) if isinstance(node, ast.Call) else _copied_by_display(node)
    return node if copied is None else original(copied)


def _copied_by_call(call: ast.Call) -> ast.expr | None:
    if last_name(call.func) not in _COPYING:
        return None
    if len(call.args) == 1:
        return call.args[0]
    is_method = not call.args and isinstance(call.func, ast.Attribute) and call.func.attr == "copy"
    return call.func.value if is_method and isinstance(call.func, ast.Attribute) else None


def _copied_by_display(node: ast.expr) -> ast.expr | None:
    if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == 1:
        only = node.elts[0]
        return only.value if isinstance(only, ast.Starred) else None
    return node.values[0] if isinstance(node, ast.Dict) and node.keys == [None] else None
