"""TS039: state initialized from prop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.storage.regex_cache import bounded
from wardround_typescript.check import TreeCheck

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
        from wardround_typescript.analysis.react_components import component_around, states

        code = self.code
        components = {
            one.id: one for call in code.calls_of("useState") if (one := component_around(code, call))
        }
        for component in components.values():
            for state in states(code, component):
                self._check_state(state, component)
        for pair in self._in_classes():
            self.report_node(
                pair, "state copies the prop and never updates; use the prop or set the state when it changes"
            )

    def _check_state(self, state: ComponentState, component: Node) -> None:
        from wardround.languages.script.code import argument, bare

        value = bare(argument(state.call, 0))
        while value is not None and value.type == "binary_expression":
            value = bare(value.child_by_field_name("left"))
        pattern = state.call.parent.child_by_field_name("name") if state.call.parent is not None else None
        if value is None or value.type not in ("identifier", "member_expression") or pattern is None:
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

    def _is_updated(self, state: ComponentState, start: str, first: Node) -> bool:
        """Return True if the setter receives the value again, or runs in an effect at all."""
        tests = (state.setter, start)
        if tests not in self._last_updates:
            uses = self.code.named(state.setter)
            self._last_updates[tests] = max(
                (n.start_byte for n in uses if self._updates(n, start)), default=-1
            )
        return self._last_updates[tests] >= first.end_byte

    @cached_property
    def _last_updates(self) -> dict[tuple[str, str], int]:
        """Map a setter and a value to the calls that set it again, or run in an effect."""
        return {}

    def _updates(self, node: Node, start: str) -> bool:
        from wardround_typescript.analysis.react_components import is_in_effect

        if is_in_effect(self.code, node) or not _is_called(node):
            return True
        arguments = node.parent.child_by_field_name("arguments") if node.parent is not None else None
        return arguments is not None and (
            re.search(rf"(?<![\w.]){re.escape(start)}\b(?!\s*:)", self.code.text(arguments)) is not None
        )

    def _is_query_result(self, name: str, at: Node) -> bool:
        """Return True if a hook that also reports that it is loading returns the name."""
        code = self.code
        declarator = code.declaration(name, at)
        if declarator is None or declarator.type != "variable_declarator":
            return False
        maker, pattern = declarator.child_by_field_name("value"), declarator.child_by_field_name("name")
        if (
            maker is None
            or pattern is None
            or maker.type != "call_expression"
            or pattern.type != "object_pattern"
        ):
            return False
        text = code.text(declarator)
        return (
            _ASKS.search(code.called(maker)) is not None
            and _WAITING.search(code.text(pattern)) is not None
            and _AT_ONCE.search(text) is None
            and not re.search(rf"\b{re.escape(name)}\s*=(?!=)", code.text(pattern))
        )

    def _is_prop(self, start: str, value: Node, component: Node) -> bool:
        """Return True for a prop: destructured in the parameters, or of an object of props."""
        code = self.code
        last = code.text(value).rpartition(".")[2]
        given = component.child_by_field_name("parameters") or component.child_by_field_name("parameter")
        declared = code.declaration(start, value)
        return (
            given is not None
            and declared is not None
            and given.start_byte <= declared.start_byte < given.end_byte
            and (start == "props" or value.type == "identifier")
            and not _FIRST.search(last)
        )

    def _is_notified(self, state: ComponentState, component: Node) -> bool:
        """Return True if the parent is notified of the new state in the same block."""
        from wardround.languages.script.code import within

        code = self.code
        for call in within(code.calls_of(state.setter), component):
            arguments = code.field(call, "arguments")
            if not arguments.strip("()").isidentifier() or call.start_byte == component.start_byte:
                continue
            beside = self._adjacent_calls(call)
            if any(
                _TELLS.search(called) and code.field(one, "arguments") == arguments for called, one in beside
            ):
                return True
        return False

    def _adjacent_calls(self, call: Node) -> Iterator[tuple[str, Node]]:
        """Yield the calls that are statements next to another one."""
        statement = call.parent
        block = (
            statement.parent if statement is not None and statement.type == "expression_statement" else None
        )
        for one in block.named_children if block is not None else ():
            inner = (
                one.named_children[0] if one.type == "expression_statement" and one.named_children else None
            )
            if inner is not None and inner.type == "call_expression" and inner.id != call.id:
                yield self.code.called(inner), inner

    def _in_classes(self) -> Iterator[Node]:
        """Yield the copied props in a class component's initial state, converted or passed to the parent."""
        code = self.code
        text = code.module.text
        if any(word in text for word in _FOLLOWS[::2]) or "props" not in text:
            return
        for node in code.kinds("public_field_definition", "assignment_expression"):
            name, value = ("name", "value") if node.type == "public_field_definition" else ("left", "right")
            state = node.child_by_field_name(value)
            if code.field(node, name) not in ("state", "this.state") or state is None:
                continue
            if state.type == "object":
                yield from (pair for pair in state.named_children if self._is_copied_prop(pair))

    def _is_copied_prop(self, pair: Node) -> bool:
        key, first = self.code.field(pair, "key"), self.code.field(pair, "value")
        if not key or _FIRST.search(key) or self._is_followed(first):
            return False
        if _CHANGED_LIST.search(first):
            return True
        return re.match(r"^(this\.)?props\.\w+$", first) is not None and self._is_set_and_reported(key)

    def _is_followed(self, first: str) -> bool:
        """Return True if a change of the prop is detected after an update."""
        prop = re.search(r"props\.(\w+)", first)
        text = self.code.module.text
        if prop is None or _FOLLOWS[1] not in text:
            return False
        return bounded(rf"(?:prev\w*|before|old\w*|last\w*)\.{re.escape(prop[1])}\b").search(text) is not None

    def _is_set_and_reported(self, key: str) -> bool:
        code = self.code
        for called, call in code.calls:
            if called != "this.setState":
                continue
            found = bounded(rf"[{{,]\s*{re.escape(key)}\s*(?::\s*(\w+))?\s*[,}}]").search(
                code.field(call, "arguments")
            )
            text = f"({found[1] or key})" if found else ""
            if text and any(
                _TELLS.search(other) and code.field(one, "arguments") == text
                for other, one in self._adjacent_calls(call)
            ):
                return True
        return False


def _is_called(node: Node) -> bool:
    parent = node.parent
    return (
        parent is not None
        and parent.type == "call_expression"
        and parent.child_by_field_name("function") == node
    )
