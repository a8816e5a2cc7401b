"""Dispatches expressions to their transfer functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from wardround.languages.python.tree import walk
from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.constant_folding import ConstantFolder
from wardround_python.dataflow.domain import CLEAN, Taint
from wardround_python.dataflow.flow_state import FlowState

_DEEPEST = 120
"""Nesting beyond which an expression is approximated; only generated code has it."""
Transfers = Mapping[type[ast.expr], Callable[[Any], Taint]]
"""Kind of expression -> the function that returns the taint of one."""


class Evaluator:
    """Evaluates expressions to their taint by the transfer functions of their kinds."""

    __slots__ = ("_folder", "_observer", "_state", "_transfers")

    def __init__(self, state: FlowState, folder: ConstantFolder) -> None:
        self._state = state
        self._folder = folder
        self._observer = state.observers.values
        self._transfers: dict[type[ast.expr], Callable[[Any], Taint]] = {}

    def register(self, transfers: Transfers) -> None:
        """Add the transfer functions of some kinds of expression."""
        self._transfers.update(transfers)

    def clear(self) -> None:
        """Remove all registered functions."""
        self._transfers.clear()

    def value(self, node: ast.expr) -> Taint:
        """Return the taint of an expression; report the sinks that calls in it reach."""
        transfer = self._transfers.get(type(node))
        state = self._state
        if transfer is None:
            taint = CLEAN
        elif state.depth > _DEEPEST:
            taint = self._approximate(node)
        else:
            state.depth += 1
            try:
                taint = transfer(node)
            finally:
                state.depth -= 1
        if self._observer is not None:
            self._observer.observe_value(node, self._folder)
        return taint

    def _approximate(self, node: ast.expr) -> Taint:
        """Return the taint of every name in an expression that is nested too deep to be evaluated."""
        parts = list(walk(node))
        names = [self._state.values.get(part.id, CLEAN) for part in parts if isinstance(part, ast.Name)]
        reads = [
            item for item in parts if isinstance(item, ast.Attribute) and isinstance(item.value, ast.Name)
        ]
        read = self._transfers[ast.Attribute]
        return join(*names, *(read(element) for element in reads))
