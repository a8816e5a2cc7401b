"""Calls that parse a value with a schema, and the value that they return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tree_sitter import Node

from wardround.semantics.dataflow.domain import only, without
from wardround_typescript.dataflow import validation_schemas
from wardround_typescript.dataflow.domain import NOTHING, OBJECT, Taint
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.nodes import bare
from wardround_typescript.dataflow.state import FlowState

_NOT_SCHEMAS = frozenset(
    {
        "JSON", "path", "qs", "querystring", "url", "yaml", "Date", "csv", "ini", "JSON5", "superjson", "jwt",
        "cookie",
    }
)  # fmt: skip
"""Objects whose ``parse`` does not validate."""


class ParseCall(NamedTuple):
    """``schema.parse(argument)``; ``is_wrapped`` where the result holds the parsed value under ``data``."""

    schema: Node
    argument: Node
    is_wrapped: bool


class SchemaParsing:
    """Evaluates calls of the parse methods of schemas."""

    __slots__ = ("_evaluator", "_module", "_scope", "_state")

    def __init__(self, state: FlowState, evaluator: Evaluator) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._evaluator = evaluator

    def parse_call(self, node: Node) -> ParseCall | None:
        """Return the parts of a call of a schema's parse method; None for any other call."""
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None or function.type != "member_expression":
            return None
        name, owner = self._state.property_name(function), function.child_by_field_name("object")
        if name not in validation_schemas.PARSES or owner is None or not arguments.named_children:
            return None
        if self._module.of(owner) in _NOT_SCHEMAS:
            return None
        return ParseCall(owner, arguments.named_children[0], name in validation_schemas.SAFE)

    def value(self, call: ParseCall, argument: Taint) -> Taint:
        """Return the value that a parse method returns for the value of its argument."""
        schema = bare(call.schema)
        text = self._module.of(schema)
        name = text.rpartition(".")[2]
        is_known = schema.type == "call_expression" or self._scope.constant(text) is not None
        if is_known or validation_schemas.NAMED_SCHEMA.search(name):
            return only(argument, validation_schemas.remaining_dangers(self._scope, call.schema))
        return argument if name in {"JSON", "qs"} else without(argument, OBJECT)

    def fields(self, node: Node) -> Mapping[str, Taint]:
        """Return the values of the fields of what a call parses; empty where they are unknown."""
        call = self.parse_call(node)
        if call is None:
            return {}
        value = self._evaluator.evaluate(call.argument)
        prefix = "data." if call.is_wrapped else ""
        fields = {
            prefix + name: only(value, labels)
            for name, labels in validation_schemas.fields(self._scope, call.schema).items()
        }
        if call.is_wrapped:
            removed = NOTHING if validation_schemas.is_loose(self._scope, call.schema) else OBJECT
            remaining = only(value, validation_schemas.remaining_dangers(self._scope, call.schema))
            fields["data"] = without(remaining, removed)
        return fields
