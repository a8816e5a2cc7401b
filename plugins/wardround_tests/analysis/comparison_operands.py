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
    sides = equality_operands(node)
    if sides is None and isinstance(node, ast.Call) and len(node.args) > 1 and last_name(node) in _NEAR:
        sides = node.args[0], node.args[1]
    if sides is None and isinstance(node, ast.Assert) and isinstance(node.test, ast.Call):
        call = node.test
        sides = (call.args[0], call.args[1]) if last_name(call) in _CLOSE and len(call.args) > 1 else None
    return None if sides is None else (_exact(sides[0]), _exact(sides[1]))


def _exact(side: ast.expr) -> ast.expr:
    """Return the operand of ``approx(...)``, or the operand itself."""
    is_near = isinstance(side, ast.Call) and last_name(side) == "approx" and side.args
    return side.args[0] if is_near and isinstance(side, ast.Call) else side


def original(node: ast.expr) -> ast.expr:
    """Return the original of a copied argument.

    ``list(xs)``, ``[*xs]``, ``xs.copy()`` and ``{**xs}`` are ``xs``.
    """
    if isinstance(node, ast.Call) and last_name(node.func) in _COPYING:
        if len(node.args) == 1:
            return original(node.args[0])
        if not node.args and isinstance(node.func, ast.Attribute) and node.func.attr == "copy":
            return original(node.func.value)
    if (
        isinstance(node, (ast.List, ast.Tuple))
        and len(node.elts) == 1
        and isinstance(node.elts[0], ast.Starred)
    ):
        return original(node.elts[0].value)
    if isinstance(node, ast.Dict) and node.keys == [None]:
        return original(node.values[0])
    return node
