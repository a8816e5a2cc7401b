from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import child, first_part, is_kind, parts

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
_PARAMETERS = ("required_parameter", "optional_parameter")
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
        for attribute in self.code.kinds("jsx_attribute"):
            name, expression = self.code.field(attribute.parent, "name"), attribute.named_children[-1]
            if expression.type != "jsx_expression" or name not in self.code.imports:
                continue
            value = first_part(expression)
            if is_kind(value, "identifier") and self._is_new(value) and self._is_memo(name):
                yield attribute

    def _is_memo(self, name: str) -> bool:
        """Return True if a component of another file is memoised without a comparison function."""
        from wardround.languages.script.code import code_of
        from wardround_typescript.analysis.call_resolution import origin
        from wardround_typescript.analysis.resolved_scripts import script_of

        found = origin(name, script_of(self.source.path, self.source.text), self.source.project)
        if found is None:
            return False
        script, there = found
        other = code_of(script.path, script.text)
        value = other.value_of(there, other.module.root)
        if is_kind(value, "call_expression") and _MEMO.search(other.callee(value)):
            return len(_arguments(value)) == 1
        memos = (call for called, call in other.calls if _MEMO.search(called))
        return any([other.text(argument) for argument in _arguments(memo)] == [there] for memo in memos)

    def _passed_to_hooks(self) -> Iterator[Node]:
        from wardround_typescript.analysis.react_components import component_around

        for called, call in self.code.calls:
            if not _HOOK.search(called) or called in _REACTS or component_around(self.code, call) is None:
                continue
            new = {location: value for location, value in enumerate(_arguments(call)) if self._is_new(value)}
            if new:
                compared = self._compared_parameters(called)
                yield from (value for location, value in new.items() if location in compared)

    def _is_new(self, node: Node) -> bool:
        """Return True for an object or a list that each render creates."""
        from wardround.languages.script.code import bare

        value = bare(node)
        if is_kind(value, "identifier"):
            name = self.code.text(value)
            if not self._is_declared_in_render(self.code.declaration(name, node)):
                return False
            value = self.code.value_of(name, node)
        return is_kind(value, "object", "array") and bool(value.named_children)

    def _is_declared_in_render(self, declaration: Node | None) -> bool:
        """Return True for a variable that a component or a hook declares itself."""
        from wardround.languages.script.code import function_around
        from wardround_typescript.analysis.react_components import is_component_or_hook

        if not is_kind(declaration, "variable_declarator"):
            return False
        function = function_around(declaration)
        return function is not None and is_component_or_hook(self.code, function)

    def _compared_parameters(self, hook: str) -> set[int]:
        """Return the positions of the parameters that a hook has among its dependencies unchanged."""
        found = self._hook(hook)
        if found is None:
            return set()
        code, function = found
        locations: dict[str, int] = {}
        for location, parameter in enumerate(parts(child(function, "parameters"))):
            if parameter.type in _PARAMETERS:
                locations[code.field(parameter, "pattern")] = location
        return {locations[name] for name in _dependencies(code, function) if name in locations}

    def _hook(self, name: str) -> tuple[Code, Node] | None:
        """Return the hook of a name, declared in this file or in an imported one."""
        from wardround.languages.script.code import code_of
        from wardround_typescript.analysis.call_resolution import origin
        from wardround_typescript.analysis.resolved_scripts import script_of

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
        """Yield the default props that each render creates and passes to a memoised child of the file."""
        from wardround.languages.script.code import function_around
        from wardround_typescript.analysis.react_components import is_component

        memos = self._memos()
        for pattern in self.code.kinds("object_assignment_pattern") if memos else ():
            function = function_around(pattern)
            if function is None or not is_component(self.code, function):
                continue
            is_new = _is_created(child(pattern, "right"))
            if is_new and self._is_passed(self.code.field(pattern, "left"), function, memos):
                yield pattern

    def _memos(self) -> frozenset[str]:
        """Return the components of the file that are memoised without a comparison function."""
        calls = [call for called, call in self.code.calls if _MEMO.search(called)]
        names: set[str] = set()
        for call in calls:
            if is_kind(call.parent, "variable_declarator") and len(_arguments(call)) == 1:
                names.add(self.code.field(call.parent, "name"))
        return frozenset(names)

    def _is_passed(self, name: str, function: Node, memos: frozenset[str]) -> bool:
        """Return True if a component passes a value as a prop of a memoised child."""
        from wardround.languages.script.code import within

        for attribute in within(self.code.kinds("jsx_attribute"), function):
            if self.code.field(attribute.parent, "name") not in memos:
                continue
            if self.code.text(attribute.named_children[-1]).strip("{}").strip() == name:
                return True
        return False


def _arguments(call: Node) -> list[Node]:
    return [value for value in parts(child(call, "arguments")) if value.type != "comment"]


def _is_created(value: Node | None) -> bool:
    """Return True for an expression with another identity each time."""
    from wardround.languages.script.code import FUNCTIONS

    return is_kind(value, "array", "object", *FUNCTIONS)


def _dependencies(code: Code, function: Node) -> Iterator[str]:
    from wardround.languages.script.code import argument, within

    for call in within(code.calls_of(*_COMPARING), function):
        listed = argument(call, 1)
        if is_kind(listed, "array"):
            yield from map(code.text, listed.named_children)
