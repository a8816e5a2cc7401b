"""TS057: state ignores prop update."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.storage.regex_cache import bounded
from wardround_typescript.check import COMPONENTS, TreeCheck

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


class StateIgnoresPropUpdate(TreeCheck):
    """A state keeps the first value of a prop forever.

    The script of a component runs once. A ref, a state or a variable initialized from a prop is a copy, and
    nothing here ever updates it: when the parent passes another value, this one stays. Use the prop itself,
    ``computed``, ``$derived`` or ``$:`` instead.
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
        path = self.source.path
        if path.endswith(".vue"):
            found = self._in_vue()
        elif path.endswith(".svelte"):
            found = self._in_svelte()
        else:
            found = self._in_classes()
        for node in found:
            self.report_node(
                node, "state keeps the first value of the prop; use the prop itself or a computed value"
            )

    def _in_vue(self) -> Iterator[Node]:
        code = self.code
        props = set(self._bound_by("defineProps", "withDefaults", "toRefs"))
        for node in code.kinds("variable_declarator"):
            value = node.child_by_field_name("value")
            if value is None or value.type != "call_expression" or code.called(value) not in _MAKERS:
                continue
            arguments = code.field(value, "arguments")[1:-1].strip()
            if (
                _PATH.search(arguments)
                and arguments.partition(".")[0].rstrip("?") in props
                and self._is_top(node)
                and not arguments.startswith(("props.initial", "props.default"))
                and self._is_never_written(node)
            ):
                yield _name(node)

    def _in_svelte(self) -> Iterator[Node]:
        props = {*self._bound_by("$props"), *self._exported_variables()}
        for node in self.code.kinds("variable_declarator"):
            if self._copies_prop(node, props) and self._is_never_written(node) and not _is_exported(node):
                yield _name(node)

    def _exported_variables(self) -> Iterator[str]:
        """Yield the names that ``export let`` declares."""
        for node in self.code.kinds("export_statement"):
            for declared in node.named_children:
                if declared.type == "lexical_declaration" and self.code.text(declared).startswith("let"):
                    yield from (self.code.field(one, "name") for one in declared.named_children)

    def _copies_prop(self, node: Node, props: Set[str]) -> bool:
        value = self.code.field(node, "value")
        if value.startswith("$state("):
            value = value.removeprefix("$state(").removesuffix(")")
        start = value.partition(".")[0].rstrip("?")
        is_copy = _PATH.search(value) is not None or (start == value and _name(node).type == "object_pattern")
        if not is_copy or start not in props or not self._is_top(node):
            return False
        return not _CLIENTS.search(value.rpartition(".")[2])

    def _in_classes(self) -> Iterator[Node]:
        """Yield the keys of a class component's initial state that come from props and are never set."""
        code = self.code
        text = code.module.text
        if "getDerivedStateFromProps" in text or ("this.state" not in text and "state =" not in text):
            return
        for node in code.kinds("public_field_definition", "assignment_expression"):
            name, value = ("name", "value") if node.type == "public_field_definition" else ("left", "right")
            state = node.child_by_field_name(value)
            if code.field(node, name) not in ("state", "this.state"):
                continue
            for pair in state.named_children if state is not None and state.type == "object" else ():
                if self._is_never_set(code.field(pair, "key"), code.field(pair, "value")):
                    yield pair

    def _is_never_set(self, key: str, value: str) -> bool:
        if not re.match(r"^(this\.)?props(\.\w+)+$", value) or _FIRST.search(key):
            return False
        setter = bounded(rf"setState\([^;]*?(?<![\w.]){re.escape(key)}\b")
        return setter.search(self.code.module.text) is None

    def _bound_by(self, *makers: str) -> Iterator[str]:
        code = self.code
        for called, call in code.calls:
            declarator = call.parent
            if called in makers and declarator is not None and declarator.type == "variable_declarator":
                yield from code.names_in(declarator.child_by_field_name("name"))

    def _is_top(self, node: Node) -> bool:
        from wardround.languages.script.code import function_around

        return function_around(node) is None

    def _is_never_written(self, declarator: Node) -> bool:
        """Return True if the script and the markup neither set a name nor pass it on."""
        names = self.code.names_in(_name(declarator))
        rest = _without(self.source.text, declarator)
        script = _without(self.code.module.text, declarator)
        for name in names:
            quoted = re.escape(name)
            if _FIRST.search(name) or not re.search(rf"(?<![\w$.]){quoted}\b", rest):
                return False
            in_script = (_SET_IN_SCRIPT, _FOLLOWED, _HANDED_ON)
            if any(re.search(pattern.replace("%s", quoted), script) for pattern in in_script):
                return False
            if re.search(_SET_IN_MARKUP.replace("%s", quoted), _markup(rest, script)):
                return False
        return bool(names)


def _without(text: str, node: Node) -> str:
    """Return a text without the lines of a node."""
    lines = text.split("\n")
    return "\n".join([*lines[: node.start_point[0]], *lines[node.end_point[0] + 1 :]])


def _markup(text: str, script: str) -> str:
    """Return the markup of a file: the lines without script."""
    pairs = zip(text.split("\n"), script.split("\n"), strict=False)
    return "\n".join("" if code.strip() else line for line, code in pairs)


def _name(declarator: Node) -> Node:
    return declarator.child_by_field_name("name") or declarator


def _is_exported(declarator: Node) -> bool:
    declared = declarator.parent
    return declared is not None and declared.parent is not None and declared.parent.type == "export_statement"
