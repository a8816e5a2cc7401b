"""The values of the fields of expressions, where more is known of them than of the expression itself."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from wardround_typescript.dataflow import validation_schemas
from wardround_typescript.dataflow.calls import CallEvaluator
from wardround_typescript.dataflow.domain import Taint
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.nodes import FUNCTIONS, bare
from wardround_typescript.dataflow.schema_parsing import SchemaParsing
from wardround_typescript.dataflow.state import FlowState

_MAX_DEPTH = 3


class FieldEvaluator:
    """Evaluates the fields of object literals, access paths and calls."""

    __slots__ = ("_calls", "_evaluator", "_schemas", "_scope", "_state")

    def __init__(
        self, state: FlowState, evaluator: Evaluator, schemas: SchemaParsing, calls: CallEvaluator
    ) -> None:
        self._state = state
        self._scope = state.scope
        self._evaluator = evaluator
        self._schemas = schemas
        self._calls = calls

    def fields(self, node: Node, value: Taint) -> Mapping[str, Taint]:
        """The values of the fields of an expression that evaluates to ``value``; deeper ones as ``a.b``."""
        node = bare(node)
        if node.type == "object":
            return self._literal(node)
        if node.type == "call_expression":
            return self._schemas.fields(node) or (self._calls.returned_fields(node) if value else {})
        path = self._state.access_path(node)
        if path is None:
            return {}
        prefix = path + "."
        values = self._state.values
        return {known[len(prefix) :]: values[known] for known in values if known.startswith(prefix)}

    def _literal(self, node: Node, depth: int = 0) -> Mapping[str, Taint]:
        """Return the fields of an object literal and of the literals in it."""
        fields: dict[str, Taint] = {}
        for entry in node.named_children:
            if entry.type == "spread_element":
                fields = {}  # the spread object may replace any field before it
                continue
            for name, value in validation_schemas.pair(self._scope, entry):
                if value.type not in FUNCTIONS:
                    fields[name] = self._evaluator.evaluate(value)
                    if value.type == "object" and depth < _MAX_DEPTH:
                        inner = self._literal(value, depth + 1)
                        fields.update({f"{name}.{below}": known for below, known in inner.items()})
        return fields
