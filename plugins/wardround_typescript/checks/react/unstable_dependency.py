"""TS059: unstable dependency."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

_HOOK = LazyPattern(r"^use[A-Z]\w*$")
_REACTS = frozenset(
    {
        "useState",
        "useRef",
        "useMemo",
        "useCallback",
        "useEffect",
        "useLayoutEffect",
        "useReducer",
        "useContext",
        "useId",
        "useImperativeHandle",
        "useQuery",
        "useMutation",
        "useForm",
        "useSelector",
    }
)
_COMPARING = ("useEffect", "useLayoutEffect", "useInsertionEffect")
_MEMO = LazyPattern(r"^(React\.)?memo$")


class UnstableDependency(TreeCheck):
    """A value is new on every render, and its receiver compares it with the previous one.

    An object, array or function written in a component is created again on each render. A hook with the value
    among the dependencies of its effect runs that effect every time, and a memoised child renders every time.
    Create it outside of the component, or with ``useMemo`` or ``useCallback``; for a default, use a constant
    of the module.
    """

    ID = "TS059"
    NAME = "unstable-dependency"
    DEFECT_CLASS = "unstable-dependency"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    KINDS = (".tsx", ".jsx", ".ts", ".js")
    WORDS = ("use", "memo(", "/>", "</")
    ALSO = (("({", "([", "=>", "= [", "= {"),)
    CASE_PATH = "src/a.tsx"
    VALID = [
        code(
            """
            import { useFeed } from './feed';
            export function Map({ region }) {
              const a = useFeed({ region });
            }
            """,
            others={
                "src/feed.ts": """
                export function useFeed(options) {
                  useEffect(() => open(options), [options.region]);
                }
                """,
            },
        ),
        code(
            """
            function App() {
              const [a] = useState({ b: 1 });
              const c = useQuery({ d: a });
            }
            """,
            path="a.tsx",
        ),
    ]
    INVALID = [
        code(
            """
            import { Chart } from './Chart';
            export function Page({ rows }) {
              const options = { legend: true };
              return <Chart rows={rows} «options={options}» />;
            }
            """,
            others={
                "src/Chart.tsx": """
                export const Chart = memo(function Chart(props) {});
                """,
            },
        ),
        code(
            """
            import { useFeed } from './feed';
            export function Map({ region }) {
              const rows = useFeed(«{ region, speed: 3 }»);
            }
            """,
            others={
                "src/feed.ts": """
                export function useFeed(options: Options) {
                  useEffect(() => open(options), [options]);
                }
                """,
            },
        ),
    ]

    def check(self) -> None:
        for node in self._passed_to_hooks():
            self.report_node(
                node, "value is new on every render and reruns the hook; use useMemo or useCallback"
            )
        for node in self._passed_to_memos():
            self.report_node(
                node, "prop is new on every render and the child is memoised; use useMemo or useCallback"
            )
        for node in self._defaults():
            self.report_node(
                node, "default is new on every render and a memoised child compares it; use a constant"
            )

    def _passed_to_memos(self) -> Iterator[Node]:
        """Yield the objects and lists created in a component that are props of a memoised child of another
        file.
        """
        code = self.code
        for attribute in code.kinds("jsx_attribute"):
            element, value = attribute.parent, attribute.named_children[-1]
            name = code.field(element, "name")
            if value.type != "jsx_expression" or name not in code.imports or not value.named_children:
                continue
            given = value.named_children[0]
            if given.type == "identifier" and self._is_new(given) and self._is_memo(name):
                yield attribute

    def _is_memo(self, name: str) -> bool:
        """Return True if a component of another file is memoised without a comparison function."""
        from wardround.languages.script.code import code_of
        from wardround_typescript.analysis.call_resolution import origin, script_of

        found = origin(name, script_of(self.source.path, self.source.text), self.source.project)
        if found is None:
            return False
        script, there = found
        other = code_of(script.path, script.text)
        value = other.value_of(there, other.module.root)
        if value is not None and value.type == "call_expression" and _MEMO.search(other.called(value)):
            return len(_arguments(value)) == 1
        return any(
            _MEMO.search(called) and [other.text(one) for one in _arguments(call)] == [there]
            for called, call in other.calls
        )

    def _passed_to_hooks(self) -> Iterator[Node]:
        from wardround_typescript.analysis.react_components import component_around

        for called, call in self.code.calls:
            if not _HOOK.search(called) or called in _REACTS or component_around(self.code, call) is None:
                continue
            places = [(at, one) for at, one in enumerate(_arguments(call)) if self._is_new(one)]
            if places:
                compared = self._compared(called)
                yield from (one for at, one in places if at in compared)

    def _is_new(self, node: Node) -> bool:
        from wardround.languages.script.code import bare, function_around
        from wardround_typescript.analysis.react_components import is_component, is_hook

        value = bare(node)
        if value is not None and value.type == "identifier":
            declaration = self.code.declaration(self.code.text(value), node)
            if declaration is None or declaration.type != "variable_declarator":
                return False
            around = function_around(declaration)
            if around is None or not (is_component(self.code, around) or is_hook(self.code, around)):
                return False
            value = self.code.value_of(self.code.text(value), node)
        if value is None:
            return False
        return value.type in ("object", "array") and bool(value.named_children)

    def _compared(self, hook: str) -> set[int]:
        """Return the positions of the parameters that a hook has among its dependencies unchanged."""
        found = self._hook(hook)
        if found is None:
            return set()
        code, function = found
        given = function.child_by_field_name("parameters")
        names = {
            code.field(one, "pattern"): at
            for at, one in enumerate(given.named_children if given is not None else ())
            if one.type in ("required_parameter", "optional_parameter")
        }
        return {names[name] for name in _dependencies(code, function) if name in names}

    def _hook(self, name: str) -> tuple[Code, Node] | None:
        """Return the hook of a name, declared in this file or in one that it imports."""
        from wardround.languages.script.code import code_of
        from wardround_typescript.analysis.call_resolution import origin, script_of

        function = self.code.function_of(name, self.code.module.root)
        if function is not None:
            return self.code, function
        found = origin(name, script_of(self.source.path, self.source.text), self.source.project)
        if found is None:
            return None
        script, there = found
        code = code_of(script.path, script.text)
        function = code.function_of(there, code.module.root)
        return None if function is None else (code, function)

    def _defaults(self) -> Iterator[Node]:
        from wardround.languages.script.code import FUNCTIONS, function_around
        from wardround_typescript.analysis.react_components import is_component

        code = self.code
        memos = self._memos()
        if not memos:
            return
        for node in code.kinds("object_assignment_pattern"):
            made = node.child_by_field_name("right")
            function = function_around(node)
            if made is None or function is None or not is_component(code, function):
                continue
            if (made.type in ("array", "object") or made.type in FUNCTIONS) and self._is_passed(
                code.field(node, "left"), function, memos
            ):
                yield node

    def _memos(self) -> frozenset[str]:
        """Return the components of the file that are memoised without a comparison function."""
        code = self.code
        return frozenset(
            code.field(call.parent, "name")
            for called, call in code.calls
            if _MEMO.search(called)
            and call.parent is not None
            and call.parent.type == "variable_declarator"
            and len(_arguments(call)) == 1
        )

    def _is_passed(self, name: str, function: Node, memos: frozenset[str]) -> bool:
        code = self.code
        for attribute in code.kinds("jsx_attribute"):
            if function.start_byte <= attribute.start_byte < function.end_byte:
                element = attribute.parent
                if (
                    element is not None
                    and code.field(element, "name") in memos
                    and code.text(attribute.named_children[-1]).strip("{}").strip() == name
                ):
                    return True
        return False


def _arguments(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return [one for one in arguments.named_children if one.type != "comment"] if arguments is not None else []


def _dependencies(code: Code, function: Node) -> Iterator[str]:
    from wardround.languages.script.code import argument

    for call in code.calls_of(*_COMPARING):
        if function.start_byte <= call.start_byte < function.end_byte:
            listed = argument(call, 1)
            for one in listed.named_children if listed is not None and listed.type == "array" else ():
                yield code.text(one)
