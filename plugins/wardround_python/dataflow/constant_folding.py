"""Constant folding, by what is known of the names in an expression."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.known_value import KnownConstant, Plain, fold_operator

_DEEPEST = 60
Folds = Mapping[type[ast.expr], Callable[[Any], KnownConstant | None]]
"""Kind of expression -> the function that folds one."""


class ConstantFolder:
    """Folds expressions to constants by the functions registered for their kinds."""

    __slots__ = ("_folds", "_state")

    def __init__(self, state: FlowState) -> None:
        self._state = state
        self._folds: dict[type[ast.expr], Callable[[Any], KnownConstant | None]] = {
            ast.Name: self._name,
            ast.BinOp: self._binary,
            ast.JoinedStr: self._f_string,
            ast.BoolOp: self._boolean,
        }

    def register(self, folds: Folds) -> None:
        """Add the functions that fold some kinds of expression."""
        self._folds.update(folds)

    def clear(self) -> None:
        """Remove all registered functions."""
        self._folds.clear()

    def constant(self, node: ast.expr | None) -> KnownConstant | None:
        """Return the constant an expression evaluates to here; None if unknown."""
        if isinstance(node, ast.Constant):
            value = node.value
            is_plain = value is None or isinstance(value, (str, bytes, int, float))
            return KnownConstant(value) if is_plain else None  # type: ignore[arg-type]
        fold = self._folds.get(type(node)) if node is not None else None
        state = self._state
        if fold is None or state.depth > _DEEPEST:
            return None
        state.depth += 1
        try:
            return fold(node)
        finally:
            state.depth -= 1

    def constants(self, nodes: Sequence[ast.expr]) -> list[Plain] | None:
        """Return the values of several expressions; None unless all are constant."""
        results = []
        for node in nodes:
            constant = self.constant(node)
            if constant is None:
                return None
            results.append(constant.value)
        return results

    def _name(self, node: ast.Name) -> KnownConstant | None:
        known = self._state.values.known.get(node.id)
        if known is not None or node.id in self._state.values:
            return known if isinstance(known, KnownConstant) else None
        number = self._state.flow.numbers.get(node.id)
        return KnownConstant(number) if number is not None else None

    def _binary(self, node: ast.BinOp) -> KnownConstant | None:
        left = self.constant(node.left)
        if left is None:
            return None
        if isinstance(node.op, ast.Mod) and isinstance(node.right, ast.Tuple):
            parts = self.constants(node.right.elts)
            return fold_operator(ast.Mod, left.value, tuple(parts)) if parts is not None else None  # type: ignore[arg-type]
        right = self.constant(node.right)
        return fold_operator(type(node.op), left.value, right.value) if right is not None else None

    def _f_string(self, node: ast.JoinedStr) -> KnownConstant | None:
        result = ""
        for value in node.values:
            part = value.value if isinstance(value, ast.FormattedValue) else value
            is_plain = not isinstance(value, ast.FormattedValue) or (
                value.conversion == -1 and value.format_spec is None
            )
            constant = self.constant(part) if is_plain else None
            if constant is None:
                return None
            result += str(constant.value)
        return KnownConstant(result)

    def _boolean(self, node: ast.BoolOp) -> KnownConstant | None:
        last = None
        for value in node.values:
            last = self.constant(value)
            if last is None or bool(last.value) is isinstance(node.op, ast.Or):
                return last
        return last
