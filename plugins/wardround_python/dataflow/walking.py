"""Dispatches statements to their transfer functions, and joins states where branches meet."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.state import Environment, joined_environments

StatementTransfers = Mapping[type[ast.stmt], Callable[[Any], bool]]
"""Kind of statement -> the function that analyses one, and returns True if control leaves the block there."""


class StatementWalker:
    """Analyses blocks of statements by the transfer functions of their kinds."""

    __slots__ = ("_state", "_transfers")

    def __init__(self, state: FlowState) -> None:
        self._state = state
        self._transfers: dict[type[ast.stmt], Callable[[Any], bool]] = {}

    def register(self, transfers: StatementTransfers) -> None:
        """Add the transfer functions of some kinds of statement."""
        self._transfers.update(transfers)

    def clear(self) -> None:
        """Remove all registered functions."""
        self._transfers.clear()

    def walk(self, body: Iterable[ast.stmt]) -> bool:
        """Analyse statements in order; return True if control leaves the block."""
        return any(self._statement(statement) for statement in body)

    def _statement(self, node: ast.stmt) -> bool:
        transfer = self._transfers.get(type(node))
        return transfer(node) if transfer is not None else False

    def join(self, left: Sequence[Environment]) -> None:
        """Continue with the join of the states that reach the next statement."""
        if left:
            self._state.values = left[0]
            for other in left[1:]:
                self._state.values = joined_environments(self._state.values, other)

    def leave(self, where: int, exits: int) -> None:
        """Continue after a compound statement; if it may leave the block, the code after it may not run."""
        self._state.region = where
        if self._state.exits != exits and (
            self._state.loops or self._state.tries or self._state.inlined is not None
        ):
            self._state.enter_region()
