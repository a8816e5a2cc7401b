"""TS061: eager hook initializer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_CHEAP = LazyPattern(
    r"^(Map|Set|WeakMap|WeakSet|Date|Array|Object|AbortController|Animated\.Value(XY)?"
    r"|URL|URLSearchParams|Error|Promise|RegExp"
    r"|Intl\.\w+|Float\d+Array|Uint\d+Array|Int\d+Array|FormData|Headers|THREE\.\w+"
    r"|Vector\d|Matrix\d|Color|Quaternion|Euler|EventTarget|SharedValue|EventEmitter)$"
)
_CONNECTS = LazyPattern(
    r"(Connection|Client|Socket|Worker|WebSocket|EventSource|Player|Engine|Editor"
    r"|Manager|Database|Session|Recorder|AudioContext"
    r"|Chart|Parser|Index|Fuse|MiniSearch|Simulation|Observer|Queue|Provider|Doc"
    r"|Peer|Channel|Renderer|Scheduler|Pool|Controller)$"
)
_STARTS = LazyPattern(
    r"\.(connect|start|open|listen|subscribe|load|init|initialize|run|join|parse"
    r"|compile)$"
)
_WORK = LazyPattern(
    r"^(build|create|compute|calculate|generate|parse|load|read|group|sort|index"
    r"|layout|analy[sz]e|prepare|simulate|compile|tokenize)[A-Z]\w*$"
)
_NO_WORK = LazyPattern(
    r"(?i)^(create(Ref|Id|Empty|Initial|Default|Context|Store|Element|Portal|Selector)"
    r"|(make|build|generate|create)\w*(Id|Key)$|parse(Int|Float|Date|ISO|Number"
    r"|Bool))"
)
_HEAVY_CALL = LazyPattern(
    r"^(hierarchy|tree(map|mapBinary)?|pack|partition|cluster|forceSimulation"
    r"|sankey|dagre\.layout|d3\.\w*(hierarchy|tree|pack|layout|stratify|cluster"
    r"|treemap)\w*"
    r"|levenshtein|diffLines|diffWords|diffChars|marked(\.parse)?|hljs\.\w+|Prism\.highlight"
    r"|Papa\.parse|yaml\.(load|parse)"
    r"|XLSX\.\w+|turf\.\w+|topojson\.\w+|crossfilter|simplify)$"
)
_SORTS = frozenset({"sort", "toSorted"})
_CYCLES = frozenset({"for_statement", "for_in_statement", "while_statement"})
_NO_MEMO = LazyPattern(r"['\"]use no memo['\"]")
_HOOK = LazyPattern(r"^(React\.)?use[A-Z]")
_SIGNALS = LazyPattern(r"['\"](solid-js|@preact/signals|qwik)")


class EagerHookInitializer(TreeCheck):
    """A value is created or computed on every render although its inputs do not change.

    ``useRef`` and ``useState`` keep only the first value, but their argument is evaluated on every render: a
    connection is opened and dropped on every key press. Sorting or laying out all rows in the body of a
    component is repeated for every other state as well. Pass a function to ``useState``, fill the ref once,
    or move the computation into ``useMemo``.
    """

    ID = "TS061"
    NAME = "eager-hook-initializer"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "work-in-render"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    KINDS = (".tsx", ".jsx", ".js", ".ts")
    WORDS = ("useRef", "useState", "useReducer")
    ALSO = (
        (
            "new ",
            "ort(",
            "orted(",
            "hierarchy",
            "tree",
            "Simulation",
            "layout",
            "sankey",
            "turf",
            "XLSX",
            "useRef(",
            "diff",
            "marked",
            "for (",
            "reduce(",
        ),
    )
    CASE_PATH = "a.tsx"
    VALID = [
        code("""
            function Chat() {
              const seen = useRef(new Map());
              const [chat] = useState(() => new ChatClient(url));
              const top = useRef(new Animated.Value(0)).current;
              return <p />;
            }
        """),
        code("""
            const byName = (rows) => rows.slice().sort(order);
            function List({ rows }) {
              const [open, setOpen] = useState(false);
              const sorted = useMemo(() => byName(rows), [rows]);
              return <Rows rows={sorted} open={open} />;
            }
        """),
    ]
    INVALID = [
        code("""
            function Chat({ id }) {
              const link = «useRef(new ChatConnection(id).connect())»;
              return <p />;
            }
        """),
        code("""
            function Chat({ url }) {
              const [socket] = «useState(new WebSocket(url))»;
              return <p />;
            }
        """),
    ]

    def check(self) -> None:
        if _SIGNALS.search(self.code.module.text) or _NO_MEMO.search(self.code.module.text):
            return
        for call in self._eager():
            self.report_node(
                call, "created on every render, but only the first value is used; create it once"
            )
        for value in self._work():
            self.report_node(value, "computed again on every render; use useMemo")

    def _eager(self) -> Iterator[Node]:
        from wardround.languages.script.code import argument, bare

        for call in self.code.calls_of("useRef", "useState"):
            value = bare(argument(call, 0))
            if value is not None and self._is_costly(value, self.code.called(call).endswith("useRef")):
                yield call

    def _is_costly(self, value: Node, is_ref: bool) -> bool:
        code = self.code
        if value.type == "new_expression":
            made = code.field(value, "constructor")
            return not _CHEAP.search(made) and _CONNECTS.search(made) is not None
        if value.type != "call_expression":
            return False
        called = code.called(value)
        if "new " in called.partition("(")[0] and _STARTS.search(called):
            return True
        return is_ref and _WORK.search(called) is not None and not _NO_WORK.search(called) and _reads(value)

    def _work(self) -> Iterator[Node]:
        """Yield the expensive values of a component body, computed outside of useMemo."""
        from wardround.languages.script.code import FUNCTIONS
        from wardround_typescript.analysis.react_components import is_component, states

        code = self.code
        for function in code.kinds(*sorted(FUNCTIONS)):
            if not is_component(code, function) or code.text(function).startswith(
                ("async", "export default async")
            ):
                continue
            held = {state.name for state in states(code, function, "useState", "useReducer")}
            if not held:
                continue
            for value in _bound_in(function):
                if self._is_work(value) and self._is_apart(value, held):
                    yield value

    def _is_work(self, value: Node) -> bool:
        code = self.code
        for node in _now(value):
            if node.type != "call_expression":
                continue
            called = code.called(node)
            if _HOOK.search(called):
                return False
            if _HEAVY_CALL.search(called) and self._is_imported(called):
                return True
            helper = code.function_of(called, node) if "." not in called else None
            if helper is not None and _is_top_level(helper) and self._sorts(helper) and _reads(node):
                return True
        return False

    def _is_imported(self, called: str) -> bool:
        name = called.partition(".")[0]
        return name in self.code.imports or name in ("tree", "hierarchy")

    def _sorts(self, helper: Node) -> bool:
        """Return True if a helper sorts its argument, or iterates over it in nested loops."""
        from wardround.languages.script.syntax import inside

        code = self.code
        given = code.names_in(helper.child_by_field_name("parameters"))
        for node in inside(helper):
            if node.type == "call_expression" and code.called(node).rpartition(".")[2] in _SORTS:
                return any(name in code.text(node) for name in given)
            if node.type in _CYCLES and any(one.type in _CYCLES for one in inside(node) if one.id != node.id):
                return True
        return False

    def _is_apart(self, value: Node, held: set[str]) -> bool:
        """Return True if a state of the component changes that the value does not depend on."""
        from wardround.languages.script.syntax import inside

        words = {
            self.code.text(one)
            for one in inside(value)
            if one.type in ("identifier", "shorthand_property_identifier")
        }
        return bool(held - words)


def _reads(node: Node) -> bool:
    """Return True if an argument of a call is not a literal."""
    arguments = node.child_by_field_name("arguments")
    return arguments is not None and any(
        one.type in ("identifier", "member_expression", "spread_element", "call_expression")
        for one in arguments.named_children
    )


def _bound_in(function: Node) -> Iterator[Node]:
    """Yield the values of the variables declared in the block of a function."""
    body = function.child_by_field_name("body")
    for node in body.named_children if body is not None else ():
        for one in node.named_children if node.type == "lexical_declaration" else ():
            value = one.child_by_field_name("value")
            if value is not None:
                yield value


def _now(value: Node) -> Iterator[Node]:
    """Yield the nodes that are evaluated with a value: not those of nested functions."""
    from wardround.languages.script.code import FUNCTIONS

    open_ = [value]
    while open_:
        one = open_.pop()
        if one.type in FUNCTIONS:
            continue
        yield one
        open_.extend(one.named_children)


def _is_top_level(function: Node) -> bool:
    from wardround.languages.script.code import function_around

    return function_around(function) is None
