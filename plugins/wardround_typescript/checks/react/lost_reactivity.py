"""TS047: lost reactivity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_OF_PROPS = LazyPattern(r"^props(?:\??\.\w+)+$")
_OF_REF = LazyPattern(r"^\w+\.value(?:\??\.\w+)*$")
_CHANGED = LazyPattern(r"^props\.[\w.]+\.(?:push|pop|shift|unshift|splice|sort|reverse|fill)$")
_PROPS = ("defineProps", "withDefaults")
_MADE = ("ref", "shallowRef", "computed")


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
        for node in self._watched():
            self.report_node(
                node,
                "watch receives the current value and never sees a change; pass a getter",
            )
        for node in self._destructured():
            self.report_node(node, "destructured value does not follow the reactive object; use toRefs")
        for node in self._replaced():
            self.report_node(node, "template keeps the object that was here first; assign to its fields")
        for node in self._changed_props():
            self.report_node(node, "prop belongs to the parent and is mutated here; emit an event")

    def _watched(self) -> Iterator[Node]:
        from wardround.languages.script.code import argument

        code = self.code
        for called, call in code.calls:
            source = argument(call, 0) if called == "watch" else None
            if source is None or source.type != "member_expression" or argument(call, 1) is None:
                continue
            text = code.text(source)
            if (_OF_PROPS.search(text) and self._has_props(source)) or (
                _OF_REF.search(text) and self._is_made_by(text.partition(".")[0], source, _MADE)
            ):
                yield source

    def _has_props(self, at: Node) -> bool:
        """Return True if ``props`` are those of a component: of defineProps, or of setup."""
        declared = self.code.declaration("props", at)
        if declared is None:
            return False
        if declared.type == "variable_declarator":
            value = declared.child_by_field_name("value")
            return value is not None and self.code.called(value) in _PROPS
        return self.source.path.endswith(".vue")

    def _is_made_by(self, name: str, at: Node, makers: Sequence[str]) -> bool:
        value = self.code.value_of(name, at)
        return value is not None and value.type == "call_expression" and self.code.called(value) in makers

    def _destructured(self) -> Iterator[Node]:
        """Yield the fields of a reactive object that a component script destructures once."""
        from wardround.languages.script.code import function_around

        code = self.code
        for declarator in code.kinds("variable_declarator"):
            name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
            if name is None or value is None or name.type != "object_pattern" or value.type != "identifier":
                continue
            if function_around(declarator) is None and self._is_made_by(
                code.text(value), value, ("reactive",)
            ):
                yield name

    def _replaced(self) -> Iterator[Node]:
        code = self.code
        for node in code.kinds("assignment_expression"):
            left = node.child_by_field_name("left")
            is_name = left is not None and left.type == "identifier"
            if left is not None and is_name and self._is_made_by(code.text(left), left, ("reactive",)):
                yield node

    def _changed_props(self) -> Iterator[Node]:
        for called, call in self.code.calls:
            if _CHANGED.search(called) and self._has_props(call):
                yield call
