"""Assignments: bindings of names, properties and patterns, and the sinks that an assignment reaches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from wardround.semantics.dataflow.domain import ARCHIVE, join, without
from wardround_typescript.dataflow import sanitizers
from wardround_typescript.dataflow.class_fields import ClassFields
from wardround_typescript.dataflow.containers import Containers
from wardround_typescript.dataflow.domain import CLEAN, SinkKind, Taint, field_of, keys_of
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.lists import OF_CONTAINER, ListContents
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.nodes import bare, field_text
from wardround_typescript.dataflow.properties import PropertyReader
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.dataflow.store_sinks import StoreSinks
from wardround_typescript.dataflow.string_building import StringBuilder
from wardround_typescript.syntax.nodes import is_kind, parts

_ENTRY_NAMES = frozenset({"entryName", "relativePath"})
"""Properties that only entries of archives have."""
_DEFAULTING = frozenset({"||=", "??=", "&&="})


class _ElementValues(NamedTuple):
    """The values of the elements of a list: by position, or by field, or all together."""

    contents: ListContents | None
    fields: Mapping[str, Taint]
    value: Taint

    def of(self, at: int, element: Node) -> Taint:
        if self.contents is None or element.type == "rest_pattern":
            return self.fields.get(str(at), self.value)
        return self.contents.at(at) or CLEAN


class Assignments:
    """Binds values to the targets of assignments and declarations."""

    __slots__ = (
        "_class_fields",
        "_containers",
        "_evaluator",
        "_features",
        "_module",
        "_properties",
        "_sanitizers",
        "_scope",
        "_sinks",
        "_state",
        "_strings",
    )

    def __init__(
        self,
        state: FlowState,
        evaluator: Evaluator,
        *,
        strings: StringBuilder,
        containers: Containers,
        properties: PropertyReader,
        sinks: StoreSinks,
        class_fields: ClassFields,
        features: ModuleFeatures,
    ) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._sanitizers = sanitizers.catalogue()
        self._evaluator = evaluator
        self._strings = strings
        self._containers = containers
        self._properties = properties
        self._sinks = sinks
        self._class_fields = class_fields
        self._features = features

    def assign(self, node: Node) -> None:
        """Carry out an assignment expression."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        value = self._evaluator.evaluate(right)
        if node.type == "augmented_assignment_expression":
            self._assign_joined(node, left, right, value)
        else:
            self._store(left, right, value)

    def _store(self, left: Node, right: Node, value: Taint) -> None:
        self._sinks.check(left, right, value)
        self.bind(left, value, right)

    def _assign_joined(self, node: Node, left: Node, right: Node, value: Taint) -> None:
        """Evaluate ``+=`` or ``??=``; other operators are arithmetic."""
        before = self._evaluator.evaluate(left)
        operator = field_text(self._module, node, "operator")
        if operator == "+=":
            self._store(left, right, self._append_operand(before, right, value))
        elif operator in _DEFAULTING:
            self._store(left, right, join(before, value))

    def _append_operand(self, before: Taint, right: Node, value: Taint) -> Taint:
        text = self._strings.constant_text(right)
        part = (text, CLEAN) if text is not None else (None, value)
        return join(before, self._strings.concatenate([(None if before else "", before), part]))

    def bind(self, target: Node, value: Taint, source: Node | None) -> None:
        """Bind a value to a name, a property, or a pattern of these.

        ``source`` is the expression of the value, where it is known.
        """
        target = bare(target)
        match target.type:
            case "assignment_pattern" | "object_assignment_pattern":
                self._bind_with_default(target, value)
            case "object_pattern":
                self._bind_object(target, value, source)
            case "array_pattern":
                self._bind_array(target, value, source)
            case "rest_pattern" if target.named_children:
                self.bind(target.named_children[0], value, None)
            case _:
                self._bind_path(target, value, source)

    def _bind_with_default(self, target: Node, value: Taint) -> None:
        inner, default = target.child_by_field_name("left"), target.child_by_field_name("right")
        if inner is not None:
            other = self._evaluator.evaluate(default) if default is not None else CLEAN
            self.bind(inner, join(value, other), None)

    def _bind_path(self, target: Node, value: Taint, source: Node | None) -> None:
        is_shorthand = target.type == "shorthand_property_identifier_pattern"
        path = self._module.of(target) if is_shorthand else self._state.access_path(target)
        if path is None:
            return
        if source is not None:
            self._bind_source(path, value, source)
        else:
            self._replace(path, value, {})
        if path.startswith("this.") and "." not in path[5:]:
            self._class_fields.add(self._scope.class_of(target), path[5:], value)
        elif "." in path and value:
            self._taint_owner(path.rpartition(".")[0], value)

    def _bind_source(self, path: str, value: Taint, source: Node) -> None:
        """Assign the value of an expression to an access path, with its known properties."""
        fields = self._evaluator.fields(source, value) if value else {}
        kind = self._state.request_kind(source)
        self._replace(path, value, fields)
        self._containers.bind(path, bare(source))
        if kind:
            self._state.request_kinds[path] = kind
        origins = self._state.tainted_paths(source) - {path} if value else frozenset()
        self._state.derived_from[path] = origins

    def _replace(self, path: str, value: Taint, fields: Mapping[str, Taint]) -> None:
        """Replace the value and fields of an access path."""
        values = self._state.values
        for old in [known for known in values if known.startswith(path + ".")]:
            del values[old]
        values[path] = value
        for name, known in fields.items():
            values[f"{path}.{name}"] = known

    def _taint_owner(self, path: str, value: Taint) -> None:
        """Join the value of an object with that of an assigned property."""
        if path != "this" and path not in self._state.request_kinds:
            before = self._state.values.get(path, CLEAN)
            self._state.values[path] = join(before, without(value, OF_CONTAINER))

    def _bind_object(self, target: Node, value: Taint, source: Node | None) -> None:
        fields = self._evaluator.fields(source, value) if source is not None else {}
        for entry in target.named_children:
            if entry.type == "rest_pattern":
                self.bind(entry, value, None)
            else:
                self._bind_property(entry, value, source, fields)

    def _bind_property(
        self, entry: Node, value: Taint, source: Node | None, fields: Mapping[str, Taint]
    ) -> None:
        """Bind a variable to a property of a value."""
        key = entry.child_by_field_name("key") or entry.child_by_field_name("left") or entry
        name = self._module.of(key).strip("'\"")
        own = entry.child_by_field_name("value") or entry
        part = fields.get(name)
        if part is None:
            part = self._element_taint(value, source, name)
        self.bind(own, part, None)
        if source is not None and own.type != "object_pattern":
            self._note_origin(source, name, own, part)
        self._bind_inner_fields(self._module.of(own), name, fields)

    def _element_taint(self, value: Taint, source: Node | None, name: str) -> Taint:
        return self._property_of(value, name) if source is None else self._properties.read(source, name)

    def _bind_inner_fields(self, variable: str, name: str, fields: Mapping[str, Taint]) -> None:
        """Assign the known fields of the property that it holds to a variable."""
        prefix = f"{name}."
        for path, known in fields.items():
            if path.startswith(prefix):
                self._state.values[f"{variable}.{path.removeprefix(prefix)}"] = known

    def _note_origin(self, source: Node, name: str, target: Node, value: Taint) -> None:
        """Record the property from which a variable of a pattern was read."""
        path = self._state.access_path(source)
        kind = self._state.request_kind(source)
        bound = self._module.of(target.child_by_field_name("left") or target)
        origins = frozenset({f"{path}.{name}"}) if path and value else frozenset()
        self._state.derived_from[bound] = origins
        if kind == "context" and name in {"request", "req"}:
            self._state.request_kinds[bound] = "request"

    def _property_of(self, value: Taint, name: str) -> Taint:
        """Return the taint of a property of a value whose expression is not known."""
        if name in _ENTRY_NAMES and not value and self._features.reads_archives:
            return {ARCHIVE: SinkKind.PATH}
        return CLEAN if name in self._sanitizers.clean_properties else field_of(value, name)

    def bind_entry(self, target: Node, value: Taint) -> None:
        """Bind a pair of a key and its value."""
        parts = target.named_children if target.type == "array_pattern" else []
        if len(parts) != 2:
            self.bind(target, value, None)
            return
        self.bind(parts[0], keys_of(value), None)
        self.bind(parts[1], value, None)

    def _bind_array(self, target: Node, value: Taint, source: Node | None) -> None:
        literal = bare(source) if source is not None else None
        sources = parts(literal) if is_kind(literal, "array") else []
        values = self._element_values(literal, value)
        for at, element in _elements(target):
            self.bind(element, values.of(at, element), sources[at] if at < len(sources) else None)

    def _element_values(self, literal: Node | None, value: Taint) -> _ElementValues:
        if literal is None:
            return _ElementValues(None, {}, value)
        contents = self._containers.list_contents(literal)
        fields = self._evaluator.fields(literal, value) if contents is None else {}
        return _ElementValues(contents, fields, value)


def _elements(pattern: Node) -> Iterator[tuple[int, Node]]:
    """Yield the elements of ``[a, , b]``, each with its index."""
    at = 0
    for child in pattern.children:
        if child.type == ",":
            at += 1
        elif child.is_named and child.type != "comment":
            yield at, child
