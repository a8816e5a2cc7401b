"""Sinks that write the fields of an object into a record."""

from __future__ import annotations

from tree_sitter import Node

from wardround.semantics.dataflow.domain import join_all
from wardround_typescript.dataflow import sinks
from wardround_typescript.dataflow.arguments import CallSite
from wardround_typescript.dataflow.domain import SinkKind, Taint
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.nodes import bare
from wardround_typescript.dataflow.state import FlowState

_RECORD_KEYS = frozenset(
    {"data", "$set", "values", "update", "create", "defaults", "set", "$setOnInsert", "doc"}
)
"""Properties of an argument that hold the fields of a record."""
_NOT_RECORDS = ("new", "options", "opts", "config")
"""Ends of the names of objects that are no records."""


class RecordSinks:
    """Records the values whose keys become the fields of a record."""

    __slots__ = ("_catalogue", "_evaluator", "_features", "_module", "_state")

    def __init__(self, state: FlowState, evaluator: Evaluator, features: ModuleFeatures) -> None:
        self._state = state
        self._module = state.module
        self._catalogue = sinks.catalogue()
        self._evaluator = evaluator
        self._features = features

    def fields(self, node: Node) -> Taint:
        """Return the value of those parts of an argument whose keys become fields."""
        literal = bare(node)
        if literal.type != "object":
            return self._evaluator.evaluate(node)
        found = []
        for entry in literal.named_children:
            if entry.type == "spread_element":
                found.append(self._evaluator.evaluate(entry))
            elif entry.type == "pair":
                key, value = entry.child_by_field_name("key"), entry.child_by_field_name("value")
                if key is not None and value is not None and self._is_record_key(key):
                    found.append(self.fields(value))
            elif entry.type == "shorthand_property_identifier" and self._module.of(entry) in _RECORD_KEYS:
                found.append(self._evaluator.evaluate(entry))
        return join_all(found)

    def _is_record_key(self, key: Node) -> bool:
        return self._module.of(key).strip("'\"") in _RECORD_KEYS

    def check_assign(self, call: CallSite) -> None:
        """``Object.assign(record, value)``."""
        first = bare(call.arguments[0])
        if first.type not in {"identifier", "member_expression", "this"}:
            return
        if self._module.of(first).lower().endswith(_NOT_RECORDS):
            return
        for node, value in zip(call.arguments[1:], call.values[1:], strict=True):
            self._state.reach(SinkKind.FIELDS, node, value)

    def check_constructor(self, call: CallSite) -> None:
        """``new Model(value)``."""
        last = call.name.rpartition(".")[2]
        if not last[:1].isupper() or last in self._catalogue.not_records:
            return
        if self._features.uses_record_classes and call.values[0]:
            self._state.reach(SinkKind.FIELDS, call.arguments[0], self.fields(call.arguments[0]))
