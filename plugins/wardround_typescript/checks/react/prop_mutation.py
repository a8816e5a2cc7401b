"""TS092: prop mutation."""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity, Span
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_CHANGING = frozenset({"push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill"})
_TEMPLATE = LazyPattern(r"(?m)^<template\b")
_BOUND = LazyPattern(
    r"v-model(?:[.:][\w.:-]{1,60})?\s{0,3}=\s{0,3}\"\s{0,3}(?P<path>(?:props\.)?[A-Za-z_$][\w$]{0,"
    r"60}[^\"]{0,200})\""
)
_HANDLED = LazyPattern(r"(?:@|v-on:)[\w.:-]{1,60}\s{0,3}=\s{0,3}\"(?P<code>[^\"]{1,300})\"")
_ASSIGNED = LazyPattern(
    r"(?<![\w.$?])(?P<name>[A-Za-z_$][\w$]{0,60})(?P<rest>[\w$.\[\]]{0,120}?)(?:\s{0,"
    r"3}(?:\+\+|--|[-+*/]?=(?![=>]))|\.(?P<method>\w{3,7})\()"
)
_LOOPED = LazyPattern(
    r"v-for\s{0,3}=\s{0,3}\"\(?\s{0,3}([^\"]{1,80}?)\s(?:in|of)\s|(?:#[\w-]{1,40}|v-slot(?::[\w-]{1,"
    r"40})?)=\"\{?([^\"]{1,120})\""
)
_WORD = LazyPattern(r"[A-Za-z_$][\w$]*")
_PLAIN_PATH = LazyPattern(r"^(?:\.[\w$]+|\[[^\]]{1,60}\])*\s*$")


class PropMutation(TreeCheck):
    """A Vue component changes a prop, or a value inside one.

    The value belongs to the parent, which is not notified of the change; an assignment to the prop itself is
    rejected by Vue, and the next render of the parent restores it. Emit an event, or bind with
    ``defineModel``.
    """

    ID = "TS092"
    NAME = "prop-mutation"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "prop-mutation"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (".vue",)
    WORDS = ("defineProps", "props:")
    CASE_PATH = "A.vue"
    VALID = [
        code("""
            <template>
              <p v-for="row in rows"><input v-model="row.name" /></p>
            </template>
            <script setup>
            defineProps(['row']);
            const rows = ref([]);
            </script>
        """),
        code("""
            <template>
              <button @click="$emit('open', !open)">x</button>
            </template>
            <script setup>
            const props = defineProps({ open: Boolean });
            const other = props.open === true;
            </script>
        """),
    ]
    INVALID = [
        code("""
            <template>
              <input «v-model="filter.name"» />
            </template>
            <script>
            export default {
              props: { filter: { type: Object, required: true } },
            };
            </script>
        """),
        code("""
            <template>
              <button @click="«open =» !open">x</button>
            </template>
            <script setup lang="ts">
            defineProps<{ open: boolean }>();
            </script>
        """),
    ]

    def check(self) -> None:
        if not self._props:
            return
        for node, path in self._written():
            self.report_node(node, f"{path} belongs to the parent, which is not notified; emit an event")
        for start, end, name in self._in_template():
            self.report(
                self._span(start, end), f"{name} belongs to the parent, which is not notified; emit an event"
            )

    @cached_property
    def _props(self) -> frozenset[str]:
        """Return the names of the props of an object, a list or a type."""
        from wardround.languages.script.code import argument

        code = self.code
        found: set[str] = set()
        for called, call in code.calls:
            if called == "defineProps":
                found.update(self._listed(argument(call, 0)))
                found.update(self._typed(call.child_by_field_name("type_arguments")))
        for pair in code.kinds("pair"):
            above = pair.parent.parent if pair.parent is not None else None
            is_option = above is not None and above.type in ("export_statement", "arguments")
            if code.field(pair, "key") == "props" and is_option:
                found.update(self._listed(pair.child_by_field_name("value")))
        return frozenset(found)

    @cached_property
    def _of_script(self) -> frozenset[str]:
        """Return the variables of the script that shadow a prop in the template."""
        code = self.code
        return frozenset(
            name
            for name in self._props & code.declared.keys()
            if any("defineProps" not in code.field(one, "value") for one in code.declared[name])
        )

    def _listed(self, node: Node | None) -> Iterator[str]:
        for one in node.named_children if node is not None and node.type in ("object", "array") else ():
            yield self.code.text(one.child_by_field_name("key") or one).strip("'\"")

    def _typed(self, arguments: Node | None) -> Iterator[str]:
        for kind in arguments.named_children if arguments is not None else ():
            for one in kind.named_children if kind.type == "object_type" else ():
                yield self.code.field(one, "name")

    def _written(self) -> Iterator[tuple[Node, str]]:
        """Yield the nodes of the script that change a prop through ``this`` or ``props``."""
        code = self.code
        for node in code.kinds(
            "assignment_expression", "augmented_assignment_expression", "update_expression"
        ):
            target = node.child_by_field_name("left") or node.child_by_field_name("argument")
            path = code.text(target)
            if self._is_prop(path, node):
                yield node, path
        for called, call in code.calls:
            owner, _, method = called.rpartition(".")
            if method in _CHANGING and owner.startswith("this.") and self._is_prop(owner, call):
                yield call, owner

    def _is_prop(self, path: str, at: Node) -> bool:
        root, _, rest = path.partition(".")
        name, _, inner = rest.replace("[", ".").partition(".")
        if root == "this":
            return name in self._props
        # Another rule reports an assignment to a field of ``props`` itself.
        return (
            root == "props"
            and bool(inner)
            and name in self._props
            and self.code.value_of("props", at) is not None
        )

    def _in_template(self) -> Iterator[tuple[int, int, str]]:
        text = self.source.text
        start, end = _TEMPLATE.search(text), text.rfind("</template>")
        if start is None or end < 0:
            return
        own = self._props - self._shadowing(text[start.end() : end]) - self._of_script
        yield from self._bound(own, start.end(), end)
        yield from self._handled(own, start.end(), end)

    def _bound(self, props: Set[str], start: int, end: int) -> Iterator[tuple[int, int, str]]:
        for match in _BOUND.finditer(self.source.text, start, end):
            path = match["path"].removeprefix("props.")
            name = _WORD.match(path)
            if name is not None and name[0] in props and _PLAIN_PATH.search(path[name.end() :]):
                yield match.start(), match.end(), name[0]

    def _handled(self, props: Set[str], start: int, end: int) -> Iterator[tuple[int, int, str]]:
        for match in _HANDLED.finditer(self.source.text, start, end):
            for change in _ASSIGNED.finditer(match["code"]):
                if change["name"] in props and (change["method"] is None or change["method"] in _CHANGING):
                    at = match.start("code") + change.start()
                    yield at, at + len(change[0]), change["name"]

    def _shadowing(self, template: str) -> frozenset[str]:
        """Return the names that loops and slots of the template bind."""
        bound = (match[1] or match[2] for match in _LOOPED.finditer(template))
        return frozenset(name for part in bound for name in _WORD.findall(part))

    def _span(self, start: int, end: int) -> Span:
        text = self.source.text
        return Span(*_place(text, start), *_place(text, end))


def _place(text: str, at: int) -> tuple[int, int]:
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1
