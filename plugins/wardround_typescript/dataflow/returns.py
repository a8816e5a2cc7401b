"""The values that a function returns."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from wardround_typescript.dataflow.containers import Containers
from wardround_typescript.dataflow.domain import Taint
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.nodes import bare
from wardround_typescript.dataflow.response_sinks import ResponseSinks
from wardround_typescript.dataflow.state import FlowState


class Returns:
    """Records the values that the function under analysis returns."""

    __slots__ = ("_containers", "_evaluator", "_responses", "_state")

    def __init__(
        self, state: FlowState, evaluator: Evaluator, containers: Containers, responses: ResponseSinks
    ) -> None:
        self._state = state
        self._evaluator = evaluator
        self._containers = containers
        self._responses = responses

    def add(self, node: Node) -> None:
        """Record a returned value, and the values of its fields where it is a literal."""
        value = self._evaluator.evaluate(node)
        self._state.add_return(value)
        if not value:
            return
        literal = bare(node)
        self._responses.check_returned_value(literal, value)
        fields = self._fields(literal, value)
        is_first = self._state.returned_fields is None
        self._state.returned_fields = fields if is_first else {}

    def _fields(self, literal: Node, value: Taint) -> Mapping[str, Taint]:
        """Return the fields of an object literal, or the elements of a list; none if only some are known."""
        if literal.type == "object":
            return self._evaluator.fields(literal, value)
        contents = self._containers.list_contents(literal) if literal.type == "array" else None
        if contents is None or contents.rest is not None:
            return {}
        return {str(at): element for at, element in enumerate(contents.elements)}
