from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.storage.regex_cache import bounded_pattern
from wardround_typescript.check import COMPONENTS, TreeCheck
from wardround_typescript.syntax.nodes import child, is_kind, parent

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_FIRST = LazyPattern(
    r"(?i)initial|default|first|start|original|draft|local|edit|form|model|previous"
    r"|snapshot|stable|cached|^id$|Id$"
)
_MAKERS = frozenset({"ref", "shallowRef", "reactive"})
_CLIENTS = LazyPattern(
    r"(?i)^(supabase|client|\w*client|store|\w*store|api|form|superform|queryClient"
    r"|session)$"
)
_PATH = LazyPattern(r"^[\w$]+(\??\.[\w$]+)+(\s*\?\?.{1,40})?$", re.DOTALL)
_FOLLOWED = r"\$:\s*[^=;\n]*(?<![\w.])%s(?![\w])[^=;\n]*=(?![=>])"
_CHANGED = (
    r"|(?<![\w$.])%s(?:\.value)?(?:\.[\w.]+|\[[^\]]*\])\s*=(?!=)"
    r"|(?<![\w$.])%s(?:\.value)?\.(?:push|splice|unshift|pop|shift|sort|reverse"
    r"|set|add|delete)\("
)
_SET_IN_SCRIPT = r"(?<![\w$.'\"])%s(?:\.value)?\s*(?:=(?![=>])|\+\+|--|[-+*/|&?]{1,2}=)" + _CHANGED
_SET_IN_MARKUP = (
    r"(?<=[\s\"'({;])%s(?:\.value)?\s*(?:=(?![=>\"'{])|(?:\+\+|--)(?=[\s\"';)}])"
    r"|[-+*/|&?]{1,2}=)"
    r"|v-model(?:[:.][\w.:-]+)?=[\"']\s*%s\b|bind:[\w:|-]+=\{?[\"']?\{?\s*%s\b"
    r"|bind:%s(?=[\s/>])" + _CHANGED
)
_HANDED_ON = r"[(,]\s*%s\s*[,)]|[{,]\s*%s\s*[,}]"
_IN_SCRIPT = (_SET_IN_SCRIPT, _FOLLOWED, _HANDED_ON)
_FIRST_VALUES = ("props.initial", "props.default")


class StateIgnoresPropUpdate(TreeCheck):
    """A state keeps the first value of a prop forever.

    The script of a component runs once. A ref, a state or a variable initialized from a prop is a copy, and
    nothing here ever updates it: when the parent passes another value, the copy keeps the old one. Use the
    prop itself, ``computed``, ``$derived`` or ``$:`` instead.
    """

    ID = "TS057"
    NAME = "state-ignores-prop-update"
    DEFECT_CLASS = "derived-state"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*COMPONENTS, ".jsx", ".tsx", ".js", ".ts")
    WORDS = ("defineProps", "export let ", "$props(", "state = {", "useState(", "useState<", "toRefs")
    CASE_PATH = "a.svelte"
    VALID = [
        code(
            """
            <script setup>
            const props = defineProps();
            const open = ref(props.task.open);
            const name = ref(props.task.name);
            const initial = ref(props.task.name);
            const shut = () => { open.value = false; };
            </script>
            <template><input v-model="name" /></template>
            """,
            path="a.vue",
        ),
        code(
            """
            class A extends React.Component {
              state = { text: this.props.text };
              onText = (text) => this.setState({ text });
            }
            """,
            path="a.jsx",
        ),
    ]
    INVALID = [
        code(
            """
            <script setup lang="ts">
            const props = defineProps<{ task: Task }>();
            const «status» = ref(props.task.status);
            const done = computed(() => status.value === 'done');
            </script>
            <template><b :class="{ done }">{{ status }}</b></template>
            """,
            path="a.vue",
        ),
        code("""
            <script lang="ts">
              export let data: PageData;
              let «rows» = data.rows;
              $: shown = rows.filter(isShown);
            </script>
        """),
    ]

    def check(self) -> None:
        for node in self._copies():
            self.report_node(
                node, "state keeps the first value of the prop; use the prop itself or a computed value"
            )

    def _copies(self) -> Iterator[Node]:
        path = self.source.path
        if path.endswith(".vue"):
            return self._vue_state_props()
        return self._svelte_state_props() if path.endswith(".svelte") else self._class_state_keys()

    def _vue_state_props(self) -> Iterator[Node]:
        props = set(self._bound_by("defineProps", "withDefaults", "toRefs"))
        for declarator in self.code.kinds("variable_declarator"):
            value = child(declarator, "value")
            if not is_kind(value, "call_expression") or self.code.callee(value) not in _MAKERS:
                continue
            if not self._is_prop(self.code.field(value, "arguments")[1:-1].strip(), props):
                continue
            if self._is_top(declarator) and self._is_never_written(declarator):
                yield _name(declarator)

    def _is_prop(self, value: str, props: Set[str]) -> bool:
        """Return True for a field of a prop that is not named as the first of its values."""
        if not _PATH.search(value) or value.startswith(_FIRST_VALUES):
            return False
        return value.partition(".")[0].rstrip("?") in props

    def _svelte_state_props(self) -> Iterator[Node]:
        props = {*self._bound_by("$props"), *self._exported_variables()}
        for declarator in self.code.kinds("variable_declarator"):
            if _is_exported(declarator) or not self._copies_prop(declarator, props):
                continue
            if self._is_never_written(declarator):
                yield _name(declarator)

    def _exported_variables(self) -> Iterator[str]:
        """Yield the names that ``export let`` declares."""
        for statement in self.code.kinds("export_statement"):
            for declaration in statement.named_children:
                if declaration.type == "lexical_declaration" and self.text(declaration).startswith("let"):
                    for declarator in declaration.named_children:
                        yield self.code.field(declarator, "name")

    def _copies_prop(self, declarator: Node, props: Set[str]) -> bool:
        value = self.code.field(declarator, "value")
        if value.startswith("$state("):
            value = value.removeprefix("$state(").removesuffix(")")
        start = value.partition(".")[0].rstrip("?")
        if start not in props or not self._is_top(declarator):
            return False
        is_destructured = start == value and _name(declarator).type == "object_pattern"
        if not is_destructured and not _PATH.search(value):
            return False
        return not _CLIENTS.search(value.rpartition(".")[2])

    def _class_state_keys(self) -> Iterator[Node]:
        """Yield the keys of a class component's initial state that come from props and are never set."""
        text = self.code.module.text
        if "getDerivedStateFromProps" in text:
            return
        if "this.state" not in text and "state =" not in text:
            return
        for state in self._initial_states():
            for pair in state.named_children:
                if self._is_never_set(self.code.field(pair, "key"), self.code.field(pair, "value")):
                    yield pair

    def _initial_states(self) -> Iterator[Node]:
        """Yield the object literals that are the initial state of a class component."""
        from wardround_typescript.analysis.react_components import initial_states

        return initial_states(self.code)

    def _is_never_set(self, key: str, value: str) -> bool:
        if not re.match(r"^(this\.)?props(\.\w+)+$", value) or _FIRST.search(key):
            return False
        setter = bounded_pattern(rf"setState\([^;]*?(?<![\w.]){re.escape(key)}\b")
        return setter.search(self.code.module.text) is None

    def _bound_by(self, *makers: str) -> Iterator[str]:
        for called, call in self.code.calls:
            if called in makers and is_kind(call.parent, "variable_declarator"):
                yield from self.code.names_in(child(call.parent, "name"))

    def _is_top(self, node: Node) -> bool:
        from wardround.languages.script.code import function_around

        return function_around(node) is None

    def _is_never_written(self, declarator: Node) -> bool:
        """Return True if the script and the markup neither set a name nor pass it on."""
        names = self.code.names_in(_name(declarator))
        rest = _remove_node(self.source.text, declarator)
        script = _remove_node(self.code.module.text, declarator)
        return bool(names) and all(_is_only_read(name, rest, script) for name in names)


def _remove_node(text: str, node: Node) -> str:
    """Return a string without the lines of a node."""
    lines = text.split("\n")
    return "\n".join([*lines[: node.start_point[0]], *lines[node.end_point[0] + 1 :]])


def _markup(text: str, script: str) -> str:
    """Return the markup of a file: the lines without script."""
    pairs = zip(text.split("\n"), script.split("\n"), strict=False)
    return "\n".join("" if code.strip() else line for line, code in pairs)


def _name(declarator: Node) -> Node:
    return declarator.child_by_field_name("name") or declarator


def _is_only_read(name: str, rest: str, script: str) -> bool:
    """Return True if a name is used and neither the script nor the markup around it sets it."""
    quoted = re.escape(name)
    if _FIRST.search(name) or not re.search(rf"(?<![\w$.]){quoted}\b", rest):
        return False
    if any(re.search(pattern.replace("%s", quoted), script) for pattern in _IN_SCRIPT):
        return False
    return re.search(_SET_IN_MARKUP.replace("%s", quoted), _markup(rest, script)) is None


def _is_exported(declarator: Node) -> bool:
    return is_kind(parent(declarator.parent), "export_statement")
