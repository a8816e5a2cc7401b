"""The results of methods of values: text, lists, maps, regular expressions."""

from __future__ import annotations

from tree_sitter import Node

from wardround.semantics.dataflow.domain import join, join_all, without
from wardround_typescript.dataflow import sanitizers
from wardround_typescript.dataflow.arguments import CallSite
from wardround_typescript.dataflow.conditions import ConditionEvaluator
from wardround_typescript.dataflow.containers import Containers
from wardround_typescript.dataflow.domain import CLEAN, NOTHING, OBJECT, SinkKind, Taint
from wardround_typescript.dataflow.lists import OF_CONTAINER
from wardround_typescript.dataflow.nodes import FUNCTIONS, bare
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.dataflow.string_building import Part, StringBuilder

_RESPONSES = ("res", "reply", "ctx.res")
_REPLACING = frozenset({"replace", "replaceAll"})
_MATCHING = frozenset({"match", "matchAll", "exec"})
_LOOKING_UP = frozenset({"get", "find"})


class MethodEvaluator:
    """Evaluates calls of methods that are not defined in the project."""

    __slots__ = (
        "_conditions",
        "_containers",
        "_module",
        "_sanitizers",
        "_scope",
        "_state",
        "_strings",
    )

    def __init__(
        self,
        state: FlowState,
        strings: StringBuilder,
        containers: Containers,
        conditions: ConditionEvaluator,
    ) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._sanitizers = sanitizers.catalogue()
        self._strings = strings
        self._containers = containers
        self._conditions = conditions

    def evaluate(self, call: CallSite, receiver: Node, removed: SinkKind) -> Taint:
        """Return the result of a method call; ``removed`` are the labels that the method sanitizes."""
        method, arguments = call.method, call.arguments
        known = self._containers.call_method(receiver, method, arguments, call.values)
        if known is not None:
            return known
        if method in self._sanitizers.adding_methods and not self._state.request_kind(receiver):
            self._add(call, receiver)
        received = self._receiver_value(call)
        if method in _MATCHING or (method in _LOOKING_UP and not received):
            return CLEAN
        if method == "join":
            return self._join(call, receiver)
        if not self._propagates_receiver(call, removed):
            return CLEAN
        filling = call.values if method in self._sanitizers.composing_methods else []
        return without(join(received, *filling), removed)

    def _receiver_value(self, call: CallSite) -> Taint:
        """The value of the receiver, without the labels that the method removes by its arguments or name."""
        if call.method in _REPLACING and call.arguments:
            return without(call.received, self._removed_labels(call.method, call.arguments[0]))
        return without(call.received, OBJECT) if call.method == "toString" else call.received

    def _propagates_receiver(self, call: CallSite, removed: SinkKind) -> bool:
        """Return True if the result of a method has the labels of its receiver, other than ``removed``."""
        if call.method not in self._sanitizers.propagating_methods and not removed:
            return False
        is_filter = call.method == "filter" and bool(call.arguments)
        return not (is_filter and self._is_validating(call.arguments[0]))

    def _add(self, call: CallSite, receiver: Node) -> None:
        """Join the value of a container with that added by a method."""
        path = self._state.access_path(receiver)
        values = call.values[1:] or call.values if call.method in {"set", "append"} else call.values
        value = join_all(values)
        if path is not None and value and not path.startswith(_RESPONSES):
            before = self._state.values.get(path, CLEAN)
            self._state.values[path] = join(before, without(value, OF_CONTAINER))

    def _removed_labels(self, method: str, pattern: Node) -> SinkKind:
        """Return the labels that a string no longer has after all matches of a pattern are replaced."""
        node = self._scope.resolve(pattern)
        text = self._module.of(node)
        if node.type == "string":
            is_complete = method == "replaceAll" and text[1:-1] not in {"..", "../"}
            return sanitizers.removed_labels(text[1:-1]) if is_complete else NOTHING
        return sanitizers.removed_labels(text) if node.type == "regex" else NOTHING

    def _join(self, call: CallSite, receiver: Node) -> Taint:
        """``["a", x].join(" ")`` concatenates its elements."""
        node = bare(receiver)
        if node.type != "array":
            return without(call.received, OBJECT)
        arguments = call.arguments
        separator = (self._strings.constant_text(arguments[0]) or "") if arguments else ","
        parts: list[Part] = []
        for element in node.named_children:
            parts += [self._strings.part(element), (separator, CLEAN)]
        return self._strings.concatenate(parts[:-1])

    def _is_validating(self, test: Node) -> bool:
        """Return True if ``filter`` keeps only values that it tests."""
        if test.type not in FUNCTIONS:
            return self._module.of(test) not in {"Boolean", "String"}
        body = test.child_by_field_name("body")
        parameters = test.child_by_field_name("parameter") or test.child_by_field_name("parameters")
        if body is None or parameters is None or body.type == "statement_block":
            return False
        name = self._module.of(parameters).strip("()").partition(":")[0].strip()
        removed = self._conditions.refinements(body)[0].get(name, NOTHING)
        return bool(removed & SinkKind.PATH and removed & SinkKind.SQL)
