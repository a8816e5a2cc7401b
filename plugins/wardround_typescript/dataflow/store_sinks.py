"""Sinks that an assignment reaches: sessions, the body of a response, prototypes."""

from __future__ import annotations

from tree_sitter import Node

from wardround.semantics.dataflow.domain import join, only, without
from wardround_typescript.dataflow import sinks
from wardround_typescript.dataflow.domain import CLEAN, SinkKind, Taint
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.lists import OF_CONTAINER
from wardround_typescript.dataflow.state import FlowState

_RESPONSE_BODIES = frozenset({"ctx.body", "ctx.response.body", "this.ctx.body", "this.body"})


class StoreSinks:
    """Records the values that are stored in sinks."""

    __slots__ = ("_evaluator", "_module", "_state")

    def __init__(self, state: FlowState, evaluator: Evaluator) -> None:
        self._state = state
        self._module = state.module
        self._evaluator = evaluator

    def check(self, left: Node, right: Node, value: Taint) -> None:
        """Record the sinks that the assignment of a value reaches."""
        if not value and left.type != "subscript_expression":
            return
        text = self._module.of(left)
        if sinks.TRUSTED.search(self._state.access_path(left) or text):
            self._state.reach(SinkKind.TRUST, left, value)
        if text in _RESPONSE_BODIES and not self._sets_plain_text_type():
            self._state.reach(SinkKind.PAGE, right, value)
        if left.type == "subscript_expression":
            owner, index = left.child_by_field_name("object"), left.child_by_field_name("index")
            if owner is not None and index is not None:
                self._check_element(left, owner, self._evaluator.evaluate(index), right, value)

    def _sets_plain_text_type(self) -> bool:
        """Return True if the handler sets the content type of plain text."""
        function = self._state.function
        handler = self._module.of(function) if function is not None else ""
        return bool(sinks.TYPED_TEXT.search(handler)) and not sinks.TYPED_HTML.search(handler)

    def _check_element(self, left: Node, owner: Node, key: Taint, right: Node, value: Taint) -> None:
        """``owner[key] = value``."""
        is_dynamic = self._state.property_name(left) is None
        if is_dynamic and sinks.SESSION.search(self._module.of(owner)):
            self._state.reach(SinkKind.TRUST, left, key)
        reached = only(self._evaluator.evaluate(owner), SinkKind.REACHED)
        if reached and key and self._module.of(left) not in self._module.of(right):
            chosen = {origin: labels for origin, labels in reached.items() if origin in key}
            self._state.reach(SinkKind.REACHED, left, chosen)
        path = self._state.access_path(owner)
        if path is not None and is_dynamic:
            keys = only(key, SinkKind.NOSQL | SinkKind.FIELDS)
            before = self._state.values.get(path, CLEAN)
            self._state.values[path] = join(before, without(value, OF_CONTAINER), keys)
            self._state.forget_contents(path)
