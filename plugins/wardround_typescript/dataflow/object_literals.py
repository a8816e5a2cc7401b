"""The values of object literals, and the sinks among their properties."""

from __future__ import annotations

from tree_sitter import Node

from wardround.semantics.dataflow.domain import join, join_all, only, without
from wardround_typescript.dataflow import sinks
from wardround_typescript.dataflow.domain import CLEAN, NOTHING, SinkKind, Taint
from wardround_typescript.dataflow.evaluator import Evaluator, FunctionRunner
from wardround_typescript.dataflow.nodes import FUNCTIONS
from wardround_typescript.dataflow.state import FlowState

_MAX_PAGE_LENGTH = 4000
"""Longer object literals are not searched for a content type."""
_HEAD_LENGTH = 60


class ObjectLiterals:
    """Evaluates object literals."""

    __slots__ = ("_evaluator", "_functions", "_module", "_state")

    def __init__(self, state: FlowState, evaluator: Evaluator, functions: FunctionRunner) -> None:
        self._state = state
        self._module = state.module
        self._evaluator = evaluator
        self._functions = functions

    def evaluate(self, node: Node) -> Taint:
        """Return the join of the values of the properties of an object literal."""
        found = []
        is_short = node.end_byte - node.start_byte < _MAX_PAGE_LENGTH
        is_page = is_short and sinks.TYPED_HTML.search(self._module.of(node)) is not None
        for entry in node.named_children:
            if entry.type == "pair":
                found.append(self._pair(entry, is_page))
            elif entry.type == "spread_element":
                found.append(self._evaluator.evaluate(entry.named_children[0]))
            elif entry.type == "shorthand_property_identifier":
                value = self._state.values.get(self._module.of(entry), CLEAN)
                found.append(without(value, SinkKind.FIELDS))
            elif entry.type == "method_definition":
                self._functions.run_function(entry)
        return join_all(found)

    def _pair(self, pair: Node, is_page: bool) -> Taint:
        key, node = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is None or node is None:
            return CLEAN
        if node.type in FUNCTIONS:
            self._functions.run_function(node)
            return CLEAN
        value = self._evaluator.evaluate(node)
        if key.type == "computed_property_name":
            chosen = self._evaluator.evaluate(key.named_children[0]) if key.named_children else CLEAN
            return join(without(value, SinkKind.FIELDS), only(chosen, SinkKind.FIELDS | SinkKind.NOSQL))
        name = self._module.of(key).strip("'\"")
        if value:
            self._reach_sinks(pair, name, node, value, is_page)
        operator = SinkKind.NOSQL if name == "$eq" else NOTHING
        return without(value, SinkKind.FIELDS | SinkKind.REACHED | operator)

    def _reach_sinks(self, pair: Node, name: str, node: Node, value: Taint, is_page: bool) -> None:
        if name.lower() == "location" and self._is_header(pair):
            self._state.reach(SinkKind.REDIRECT, node, value)
        if name == "destination" and self._is_redirect(pair):
            self._state.reach(SinkKind.REDIRECT, node, value)
        if name == "body" and is_page:
            self._state.reach(SinkKind.PAGE, node, value)
        if name == "$where":
            self._state.reach(SinkKind.CODE, node, value)

    def _is_redirect(self, pair: Node) -> bool:
        """Return True for the target of a redirect of Next.js: ``{ redirect: { destination } }``."""
        holder = pair.parent.parent if pair.parent is not None else None
        key = holder.child_by_field_name("key") if holder is not None else None
        return key is not None and self._module.of(key) == "redirect"

    def _is_header(self, pair: Node) -> bool:
        """Return True for a header of a response."""
        holder = pair.parent.parent if pair.parent is not None else None
        if holder is None:
            return False
        name = holder.child_by_field_name("key" if holder.type == "pair" else "name")
        if name is not None and "header" in self._module.of(name).lower():
            return True
        call = holder.parent if holder.type == "arguments" else None
        return call is not None and "writeHead" in self._module.of(call)[:_HEAD_LENGTH]
