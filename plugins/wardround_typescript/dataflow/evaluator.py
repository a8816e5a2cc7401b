"""The interfaces through which the parts of a function's analysis evaluate nested nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from tree_sitter import Node

from wardround_typescript.dataflow.domain import Taint


class Evaluator(Protocol):
    """Evaluates expressions in the state of the function."""

    def evaluate(self, node: Node) -> Taint:
        """Return the value of an expression; sinks that its calls reach are recorded."""

    def fields(self, node: Node, value: Taint) -> Mapping[str, Taint]:
        """Return the values of the fields of an expression that are known better than its ``value``."""


class FunctionRunner(Protocol):
    """Analyses functions that are nested in the function."""

    def run_function(
        self, node: Node, arguments: Sequence[Taint] | None = None, *, takes_entries: bool = False
    ) -> Taint:
        """Analyse a function with the values of its arguments and return its result.

        ``takes_entries``: the first argument is a pair of a key and its value.
        """

    def run_resolver(self, node: Node, value: Taint, fields: Mapping[str, Taint]) -> Taint:
        """Analyse a function that takes validated input as ``{ input }`` and return its result."""
