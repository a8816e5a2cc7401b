from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.storage.regex_cache import bounded_pattern
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import child, first_part, is_kind, parts

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node
    from wardround_typescript.analysis.react_components import ComponentState

_FIRST = LazyPattern(r"(?i)^(?:initial|default|start|first|prefill|seed|saved|stored|server|loader)")
_TELLS = LazyPattern(r"^(?:(?:this\.)?props\.)?on[A-Z]\w*$|^(?:this\.)?props\.set[A-Z]\w*$")
_ASKS = LazyPattern(
    r"(?:^|\.)use(?!State|Ref|Memo|Callback|Context|Reducer|Form|Params|Store|Selector)[A-Z]\w*$"
)
_WAITING = LazyPattern(r"(?i)\b(?:is)?(?:initial|pre)?(?:loading|pending|fetching|validating)\b")
_AT_ONCE = LazyPattern(r"Suspense|initialData|placeholderData|fallbackData|useLoaderData|useSession")
_CHANGED_LIST = LazyPattern(
    r"(?<!\w)(?<!\w\.)(?:this\.)?props\.\w+\]?\)?\s*\.(?:sort|map|filter|reduce|slice|concat|flatMap)\("
)
_FOLLOWS = ("getDerivedStateFromProps", "componentDidUpdate", "WillReceiveProps")
_WRITTEN = LazyPattern(r"^(?:this\.)?props\.\w+$")


class StateInitializedFromProp(TreeCheck):
    """A state copies a value that changes later and does not follow it.

    ``useState`` reads its argument in the first render only. A query has no result at that time, so the state
    stays empty; a value that the parent owns and is notified of may be rejected or replaced, and the copy
    still shows the old one. Use the value itself, or set the state when it changes.
    """

    ID = "TS039"
    NAME = "state-initialized-from-prop"
    DEFECT_CLASS = "derived-state"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (".tsx", ".jsx", ".js", ".ts")
    WORDS = ("useState(", "useState<", "this.state =", "state = {")
    ALSO = (("on", "use", "props"),)
    CASE_PATH = "a.tsx"
    VALID = [
        code("""
            function Rows() {
              const { data, isLoading } = useQuery(rows);
              const [kept, setKept] = useState(data ?? []);
              useEffect(() => { if (data) setKept(data); }, [data]);
              return <List rows={kept} busy={isLoading} />;
            }
        """),
        code(
            """
            class Name extends React.Component {
              state = { text: this.props.text };
              componentDidUpdate(before) { if (before.text !== this.props.text) this.reset(); }
              put = (text) => { this.setState({ text }); this.props.onText(text); };
            }
            """,
            path="a.jsx",
        ),
    ]
    INVALID = [
        code("""
            function Rows({ user }) {
              const { rows, isLoading } = useRows(user.id);
              const «[shown, setShown]» = useState(rows ?? []);
              const turn = () => setShown((old) => [...old].reverse());
              return <List rows={shown} busy={isLoading} onTurn={turn} />;
            }
        """),
        code("""
            export const Tags = ({ values, onChange }) => {
              const «[chosen, setChosen]» = React.useState(values);
              const pick = (next) => {
                setChosen(next);
                onChange(next);
              };
              return <Menu values={chosen} onPick={pick} />;
            };
        """),
    ]

    def check(self) -> None:
        from wardround_typescript.analysis.react_components import states

        for component in self._components():
            for state in states(self.code, component):
                self._check_state(state, component)
        for pair in self._class_state_props():
            self.report_node(
                pair, "state copies the prop and never updates; use the prop or set the state when it changes"
            )

    def _components(self) -> list[Node]:
        from wardround_typescript.analysis.react_components import component_around

        around = (component_around(self.code, call) for call in self.code.calls_of("useState"))
        by_id = {component.id: component for component in around if component is not None}
        return list(by_id.values())

    def _check_state(self, state: ComponentState, component: Node) -> None:
        value = self._first_value(state)
        pattern = child(state.call.parent, "name")
        if not is_kind(value, "identifier", "member_expression") or pattern is None:
            return
        start = re.split(r"\W", self.code.text(value), maxsplit=1)[0]
        if self._is_updated(state, start, value):
            return
        if self._is_query_result(start, state.call):
            self.report_node(
                pattern, "query has no result in the first render, so this state stays empty; use the result"
            )
        elif self._is_prop(start, value, component) and self._is_notified(state, component):
            self.report_node(
                pattern,
                "state copies a value that the parent owns and is notified of; use the prop",
                Severity.INFO,
            )

    def _first_value(self, state: ComponentState) -> Node | None:
        """Return the initial value of a state; of ``prop ?? default`` the first operand."""
        from wardround.languages.script.code import argument, bare

        value = bare(argument(state.call, 0))
        while is_kind(value, "binary_expression"):
            value = bare(child(value, "left"))
        return value

    def _is_updated(self, state: ComponentState, start: str, first: Node) -> bool:
        """Return True if the setter receives the value again, or runs in an effect at all."""
        tests = (state.setter, start)
        if tests not in self._last_updates:
            updates = (use for use in self.code.occurrences(state.setter) if self._updates_state(use, start))
            self._last_updates[tests] = max((use.start_byte for use in updates), default=-1)
        return self._last_updates[tests] >= first.end_byte

    @cached_property
    def _last_updates(self) -> dict[tuple[str, str], int]:
        """Map a setter and a value to the calls that set it again, or run in an effect."""
        return {}

    def _updates_state(self, setter: Node, start: str) -> bool:
        from wardround_typescript.analysis.react_components import is_in_effect

        if is_in_effect(self.code, setter) or not _is_called(setter):
            return True
        read = re.compile(rf"(?<![\w.]){re.escape(start)}\b(?!\s*:)")
        return read.search(self.code.field(setter.parent, "arguments")) is not None

    def _is_query_result(self, name: str, at: Node) -> bool:
        """Return True if a hook that also reports that it is loading returns the name."""
        declarator = self.code.declaration(name, at)
        if not is_kind(declarator, "variable_declarator"):
            return False
        maker, pattern = child(declarator, "value"), child(declarator, "name")
        if not is_kind(maker, "call_expression") or not is_kind(pattern, "object_pattern"):
            return False
        if not _ASKS.search(self.code.callee(maker)) or _AT_ONCE.search(self.code.text(declarator)):
            return False
        names = self.code.text(pattern)
        has_default = re.search(rf"\b{re.escape(name)}\s*=(?!=)", names) is not None
        return _WAITING.search(names) is not None and not has_default

    def _is_prop(self, start: str, value: Node, component: Node) -> bool:
        """Return True for a prop: destructured in the parameters, or of an object of props."""
        if start != "props" and value.type != "identifier":
            return False
        if _FIRST.search(self.code.text(value).rpartition(".")[2]):
            return False
        parameters = child(component, "parameters") or child(component, "parameter")
        declared = self.code.declaration(start, value)
        if parameters is None or declared is None:
            return False
        return parameters.start_byte <= declared.start_byte < parameters.end_byte

    def _is_notified(self, state: ComponentState, component: Node) -> bool:
        """Return True if the parent is notified of the new state in the same block."""
        from wardround.languages.script.code import within

        for call in within(self.code.calls_of(state.setter), component):
            passed = self.code.field(call, "arguments")
            if not passed.strip("()").isidentifier() or call.start_byte == component.start_byte:
                continue
            if self._is_reported(call, passed):
                return True
        return False

    def _is_reported(self, setter: Node, passed: str) -> bool:
        """Return True if a call next to a setter passes the same arguments to the parent."""
        for called, call in self._adjacent_calls(setter):
            if _TELLS.search(called) and self.code.field(call, "arguments") == passed:
                return True
        return False

    def _adjacent_calls(self, call: Node) -> Iterator[tuple[str, Node]]:
        """Yield the calls that are statements next to another one."""
        if not is_kind(call.parent, "expression_statement"):
            return
        for statement in parts(call.parent.parent):
            value = first_part(statement) if statement.type == "expression_statement" else None
            if is_kind(value, "call_expression") and value.id != call.id:
                yield self.code.callee(value), value

    def _class_state_props(self) -> Iterator[Node]:
        """Yield the copied props in a class component's initial state, converted or passed to the parent."""
        from wardround_typescript.analysis.react_components import initial_states

        text = self.code.module.text
        if "props" not in text or any(word in text for word in _FOLLOWS[::2]):
            return
        for state in initial_states(self.code):
            yield from filter(self._is_copied_prop, state.named_children)

    def _is_copied_prop(self, pair: Node) -> bool:
        key, first = self.code.field(pair, "key"), self.code.field(pair, "value")
        if not key or _FIRST.search(key) or self._is_followed(first):
            return False
        if _CHANGED_LIST.search(first):
            return True
        return _WRITTEN.search(first) is not None and self._is_set_and_reported(key)

    def _is_followed(self, first: str) -> bool:
        """Return True if a change of the prop is detected after an update."""
        prop = re.search(r"props\.(\w+)", first)
        text = self.code.module.text
        if prop is None or _FOLLOWS[1] not in text:
            return False
        return (
            bounded_pattern(rf"(?:prev\w*|before|old\w*|last\w*)\.{re.escape(prop[1])}\b").search(text)
            is not None
        )

    def _is_set_and_reported(self, key: str) -> bool:
        entry = bounded_pattern(rf"[{{,]\s*{re.escape(key)}\s*(?::\s*(\w+))?\s*[,}}]")
        for call in self.code.calls_named("this.setState"):
            found = entry.search(self.code.field(call, "arguments"))
            if found and self._is_reported(call, f"({found[1] or key})"):
                return True
        return False


def _is_called(node: Node) -> bool:
    return is_kind(node.parent, "call_expression") and child(node.parent, "function") == node
