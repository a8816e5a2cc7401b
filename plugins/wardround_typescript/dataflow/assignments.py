"""Gives values to names, properties and patterns, and sees which places for values do harm by themselves."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from wardround_typescript.dataflow import sanitizers, sinks
from wardround_typescript.dataflow.calls import Calls
from wardround_typescript.dataflow.domain import (
    ARCHIVE,
    CLEAN,
    SinkKind,
    Value,
    field_of,
    only,
    united,
    without,
)
from wardround_typescript.dataflow.scope import bare
from wardround_typescript.dataflow.state import AMOUNT, keys_of

_ENTRY_NAMES = frozenset({"entryName", "relativePath"})
"""Properties that only entries of archives have."""


class Binding(Calls):
    """The part of a walk that binds."""

    def assign(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        value = self.value(right)
        if node.type == "augmented_assignment_expression":
            sign = node.child_by_field_name("operator")
            before = self.value(left)
            if sign is None or self.module.of(sign) not in {"+=", "||=", "??=", "&&="}:
                return
            text = self.constant_text(right)
            parts = [(None if before else "", before), (text, CLEAN) if text is not None else (None, value)]
            value = (
                united(before, self.joined(parts)) if self.module.of(sign) == "+=" else united(before, value)
            )
        self._stored(left, right, value)
        self.bind(left, value, right)

    def _stored(self, left: Node, right: Node, value: Value) -> None:
        """Note a value put where it does harm: a session, the answer, a property the sender chose."""
        if not value and left.type != "subscript_expression":
            return
        text = self.module.of(left)
        if sinks.TRUSTED.search(self.key_of(left) or text):
            self.reach(SinkKind.TRUST, left, value)
        if text in {"ctx.body", "ctx.response.body", "this.ctx.body", "this.body"}:
            said = self.module.of(self.function) if self.function is not None else ""
            is_text = sinks.TYPED_TEXT.search(said) and not sinks.TYPED_HTML.search(said)
            self.reach(SinkKind.PAGE, right, CLEAN if is_text else value)
        if left.type == "subscript_expression":
            owner, index = left.child_by_field_name("object"), left.child_by_field_name("index")
            if owner is None or index is None:
                return
            chosen = self.value(index)
            if sinks.SESSION.search(self.module.of(owner)) and self.property_of(left) is None:
                self.reach(SinkKind.TRUST, left, chosen)
            reached = only(self.value(owner), SinkKind.REACHED)
            if reached and chosen and text not in self.module.of(right):
                self.reach(
                    SinkKind.REACHED,
                    left,
                    {origin: left_ for origin, left_ in reached.items() if origin in chosen},
                )
            stem = self.key_of(owner)
            if stem is not None and self.property_of(left) is None:
                keys = only(chosen, SinkKind.NOSQL | SinkKind.FIELDS)
                self.values[stem] = united(
                    self.values.get(stem, CLEAN), without(value, SinkKind.FIELDS | SinkKind.REACHED), keys
                )
                self.forget(stem, CLEAN)

    def bind(self, target: Node, value: Value, source: Node | None) -> None:
        """Give a value to what stands left of ``=``: a name, a property, or a pattern of these."""
        target = bare(target)
        if target.type in {"assignment_pattern", "object_assignment_pattern"}:
            inner, default = target.child_by_field_name("left"), target.child_by_field_name("right")
            if inner is not None:
                self.bind(inner, united(value, self.value(default) if default is not None else CLEAN), None)
        elif target.type == "object_pattern":
            self._bind_object(target, value, source)
        elif target.type == "array_pattern":
            self._bind_array(target, value, source)
        elif target.type == "rest_pattern" and target.named_children:
            self.bind(target.named_children[0], value, None)
        else:
            self._bind_name(target, value, source)

    def _bind_name(self, target: Node, value: Value, source: Node | None) -> None:
        key = (
            self.module.of(target)
            if target.type == "shorthand_property_identifier_pattern"
            else self.key_of(target)
        )
        if key is None:
            return
        fields = self.fields_of(source, value) if source is not None and value else {}
        kind = self.kind_of(source) if source is not None else ""
        for old in [one for one in self.values if one.startswith(key + ".")]:
            del self.values[old]
        self.values[key] = value
        for name, known in fields.items():
            self.values[f"{key}.{name}"] = known
        if source is not None:
            self._bind_contents(key, bare(source))
        if kind:
            self.kinds[key] = kind
        if source is not None:
            self.made_of[key] = self.names_in(source) - {key} if value else frozenset()
        if key.startswith("this.") and "." not in key[5:]:
            self.owner.set_field(self.scope.class_of(target), key[5:], value)
        elif "." in key and value:
            stem = key.rpartition(".")[0]
            if stem != "this" and stem not in self.kinds:
                self.values[stem] = united(
                    self.values.get(stem, CLEAN), without(value, SinkKind.FIELDS | SinkKind.REACHED)
                )

    def _bind_contents(self, key: str, source: Node) -> None:
        """Note what the list or map that a name is given holds."""
        row = self.row_of(source)
        held = self.held_by(source) if row is None else None
        if row is not None:
            self.keep_row(key, row)
        elif held is not None:
            self.keep_map(key, held)
        stem, _, place = key.rpartition(".")
        if place.isdigit() and f"{stem}.{AMOUNT}" in self.values:
            known = self.row(stem)
            if known is None or int(place) >= len(known.elements):
                self.forget(stem, self.values[key])

    def _bind_object(self, target: Node, value: Value, source: Node | None) -> None:
        fields = self.fields_of(source, value) if source is not None else {}
        for one in target.named_children:
            if one.type == "rest_pattern":
                self.bind(one, value, None)
                continue
            key = one.child_by_field_name("key") or one.child_by_field_name("left") or one
            name = self.module.of(key).strip("'\"")
            own = one.child_by_field_name("value") or one
            part = fields.get(name)
            if part is None:
                part = self.property_value(source, name) if source is not None else self._part_of(value, name)
            self.bind(own, part, None)
            if source is not None and own.type != "object_pattern":
                whole = self.key_of(source)
                kind = self.kind_of(source)
                bound = self.module.of(own.child_by_field_name("left") or own)
                self.made_of[bound] = frozenset({f"{whole}.{name}"}) if whole and part else frozenset()
                if kind == "context" and name in {"request", "req"}:
                    self.kinds[bound] = "request"
            for deep, known in fields.items():
                if deep.startswith(name + "."):
                    self.values[f"{self.module.of(own)}.{deep[len(name) + 1 :]}"] = known

    def _part_of(self, value: Value, name: str) -> Value:
        if name in _ENTRY_NAMES and not value and self.owner.reads_archives:
            return {ARCHIVE: SinkKind.PATH}
        return CLEAN if name in sanitizers.CLEAN_PROPERTIES else field_of(value, name)

    def _bind_pair(self, target: Node, value: Value) -> None:
        """Bind ``[key, value]``, where it is taken apart."""
        parts = target.named_children if target.type == "array_pattern" else []
        if len(parts) != 2:
            self.bind(target, value, None)
            return
        self.bind(parts[0], keys_of(value), None)
        self.bind(parts[1], value, None)

    def _bind_array(self, target: Node, value: Value, source: Node | None) -> None:
        core = bare(source) if source is not None else None
        parts = core.named_children if core is not None and core.type == "array" else ()
        row = self.row_of(core) if core is not None else None
        fields = self.fields_of(core, value) if core is not None and row is None else {}
        for at, one in _places(target):
            held = (
                row.at(at) if row is not None and one.type != "rest_pattern" else fields.get(str(at), value)
            )
            self.bind(one, held or CLEAN, parts[at] if at < len(parts) else None)


def _places(pattern: Node) -> Iterator[tuple[int, Node]]:
    """The parts of ``[a, , b]``, each with its place."""
    at = 0
    for one in pattern.children:
        if one.type == ",":
            at += 1
        elif one.is_named and one.type != "comment":
            yield at, one
