from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import child, is_kind

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_OF_PROPS = LazyPattern(r"^props(?:\??\.\w+)+$")
_OF_REF = LazyPattern(r"^\w+\.value(?:\??\.\w+)*$")
_CHANGED = LazyPattern(r"^props\.[\w.]+\.(?:push|pop|shift|unshift|splice|sort|reverse|fill)$")
_PROPS = ("defineProps", "withDefaults")
_MADE = ("ref", "shallowRef", "computed")
_REACTIVE = ("reactive",)


class LostReactivity(TreeCheck):
    """A value loses its reactivity in Vue.

    ``watch`` follows a ref or a getter; given ``props.id`` it receives the id of that moment. A value
    destructured from a ``reactive`` object, or a new object assigned to its variable, is disconnected from
    the template. Pass a getter, use ``toRefs``, assign to the fields. The content of a prop belongs to the
    parent: emit an event instead of changing it.
    """

    ID = "TS047"
    NAME = "lost-reactivity"
    DEFECT_CLASS = "reactivity-lost"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (".vue", *SCRIPTS)
    WORDS = ("watch(", "reactive(", "reactive<", "props.")
    ALSO = (("defineProps", "vue", "ref(", "setup(", "<script"),)
    CASE_PATH = "a.vue"
    VALID = [
        code("""
            <script setup>
            const props = defineProps(['id']);
            watch(() => props.id, load);
            watch(rows, show);
            const rows = ref([]);
            rows.value.push(1);
            const list = [...props.rows].sort();
            </script>
        """),
        code("""
            <script setup>
            const state = reactive({ count: 0 });
            const { count } = toRefs(state);
            function reset() { Object.assign(state, { count: 0 }); }
            </script>
        """),
    ]
    INVALID = [
        code("""
            <script setup>
            const props = defineProps(['id']);
            watch(«props.id», (id) => load(id));
            </script>
        """),
        code("""
            <script setup lang="ts">
            const state = reactive({ count: 0 });
            const «{ count }» = state;
            const twice = computed(() => count * 2);
            </script>
            <template>{{ twice }}</template>
        """),
    ]

    def check(self) -> None:
        for node in self._watched_nodes():
            self.report_node(
                node,
                "watch receives the current value and never sees a change; pass a getter",
            )
        for node in self._destructured_fields():
            self.report_node(node, "destructured value does not follow the reactive object; use toRefs")
        for node in self._replaced_objects():
            self.report_node(node, "template keeps the object that was here first; assign to its fields")
        for node in self._changed_props():
            self.report_node(node, "prop belongs to the parent and is mutated here; emit an event")

    def _watched_nodes(self) -> Iterator[Node]:
        from wardround.languages.script.code import argument

        for call in self.code.calls_named("watch"):
            source = argument(call, 0)
            if not is_kind(source, "member_expression") or argument(call, 1) is None:
                continue
            if self._is_current_value(source):
                yield source

    def _is_current_value(self, source: Node) -> bool:
        """Return True for a field of props, or of a ref."""
        text = self.code.text(source)
        if _OF_PROPS.search(text) and self._has_props(source):
            return True
        return _OF_REF.search(text) is not None and self._is_created_by(text.partition(".")[0], source, _MADE)

    def _has_props(self, at: Node) -> bool:
        """Return True if ``props`` are those of a component: of defineProps, or of setup."""
        declared = self.code.declaration("props", at)
        if is_kind(declared, "variable_declarator"):
            value = child(declared, "value")
            return value is not None and self.code.callee(value) in _PROPS
        return declared is not None and self.source.path.endswith(".vue")

    def _is_created_by(self, name: str, at: Node, makers: Sequence[str]) -> bool:
        value = self.code.value_of(name, at)
        return is_kind(value, "call_expression") and self.code.callee(value) in makers

    def _destructured_fields(self) -> Iterator[Node]:
        """Yield the fields of a reactive object that a component script destructures once."""
        from wardround.languages.script.code import function_around

        for declarator in self.code.kinds("variable_declarator"):
            pattern, value = child(declarator, "name"), child(declarator, "value")
            if not is_kind(pattern, "object_pattern") or not is_kind(value, "identifier"):
                continue
            if function_around(declarator) is not None:
                continue
            if self._is_created_by(self.code.text(value), value, _REACTIVE):
                yield pattern

    def _replaced_objects(self) -> Iterator[Node]:
        for assignment in self.code.kinds("assignment_expression"):
            target = child(assignment, "left")
            if not is_kind(target, "identifier"):
                continue
            if self._is_created_by(self.code.text(target), target, _REACTIVE):
                yield assignment

    def _changed_props(self) -> Iterator[Node]:
        for called, call in self.code.calls:
            if _CHANGED.search(called) and self._has_props(call):
                yield call
