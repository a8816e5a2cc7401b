"""TS060: unstable key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_RANDOM = LazyPattern(
    r"^(Math\.random|Date\.now|performance\.now|((window|self|globalThis)\.)?crypto\.randomUUID"
    r"|nanoid|uuid|uuidv4|uuidV4|v4"
    r"|uid|shortid(\.generate)?|(_|lodash)\.uniqueId|uniqueId|cuid|createId|ulid"
    r"|randomUUID|generateId|randomId)$"
)
_KEPT = frozenset(
    {
        "useMemo",
        "useState",
        "useRef",
        "useCallback",
        "useReducer",
        "useEffect",
        "useLayoutEffect",
        "useId",
        "computed",
        "ref",
        "reactive",
        "onMount",
        "onMounted",
    }
)
_BOUND_KEY = LazyPattern(
    r"(?<![\w-])(?::key|v-bind:key)=\"(?P<value>[^\"]*)\"|\{#each\s[^}]*\((?P<each>[^{}]*)"
    r"\)\s*\}"
)
_MADE = LazyPattern(r"\b(Math\.random|Date\.now|crypto\.randomUUID|nanoid|uuidv4|uniqueId)\(")


class UnstableKey(TreeCheck):
    """A key is generated during rendering, so it is new on every render.

    A row whose key changes is destroyed and created again on every render: focus, input and scroll position
    are lost. Use an id of the data, or generate the id once, where the item is created.
    """

    ID = "TS060"
    NAME = "unstable-key"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "unstable-key"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (".tsx", ".jsx", ".js", *COMPONENTS)
    WORDS = (
        "random",
        "nanoid",
        "uuid",
        "UUID",
        "now(",
        "nique",
        "v4",
        "cuid",
        "createId",
        "ulid",
        "uid(",
        "ateId",
    )
    ALSO = (("key", "{#each"),)
    CASE_PATH = "a.tsx"
    VALID = [
        code("""
            function List({ rows }) {
              const keyed = useMemo(() => rows.map((row) => ({ row, key: nanoid() })), [rows]);
              return keyed.map(({ key, row }) => <li key={key}>{row}</li>);
            }
        """),
        code("""
            const ROWS = NAMES.map((name) => ({ id: nanoid(), name }));
            function List() {
              const add = (name) => save({ id: nanoid(), name });
              return ROWS.map((row) => <li key={row.id} onClick={add}>{row.name}</li>);
            }
        """),
    ]
    INVALID = [
        code("""
            function keyed(rows) {
              return rows.map((row) => ({ key: «nanoid(8)», row }));
            }
            function List({ rows }) {
              return keyed(rows).map(({ key, row }) => <li key={key}>{row}</li>);
            }
        """),
        code("""
            function List({ rows }) {
              const shown = rows.map((row) => ({ ...row, id: «crypto.randomUUID()» }));
              return shown.map((row) => <Row key={row.id} row={row} />);
            }
        """),
    ]

    def check(self) -> None:
        if self.source.path.endswith(COMPONENTS):
            self._check_markup()
            return
        keys = list(self._keys())
        if not keys:
            return
        names = {name for name, _ in keys if name}
        calls = {called for _, called in keys if called}
        for call in self._random_calls():
            if self._is_key(call, names, calls):
                self.report_node(call, "key is new on every render; use an id of the data")

    def _check_markup(self) -> None:
        from wardround.findings import Span

        for number, line in enumerate(self.source.lines, 1):
            for found in _BOUND_KEY.finditer(line):
                if _MADE.search(found["value"] or found["each"] or ""):
                    self.report(
                        Span(number, found.start() + 1, number, found.end() + 1),
                        "key is new on every render; use an id of the data",
                    )

    def _keys(self) -> Iterator[tuple[str, str]]:
        """Return (property, "") that a key is read from, or ("", function) that generates it."""
        code = self.code
        for attribute in code.kinds("jsx_attribute"):
            if code.text(attribute.named_children[0]) != "key" or len(attribute.named_children) < 2:
                continue
            value = attribute.named_children[1]
            inner = (
                value.named_children[0] if value.type == "jsx_expression" and value.named_children else None
            )
            if inner is None:
                continue
            if inner.type == "member_expression":
                yield code.field(inner, "property"), ""
            elif inner.type == "identifier":
                yield code.text(inner), ""
            elif inner.type == "call_expression":
                yield "", code.called(inner)

    def _random_calls(self) -> Iterator[Node]:
        for called, call in self.code.calls:
            if _RANDOM.search(called):
                yield call

    def _is_key(self, call: Node, names: set[str], calls: set[str]) -> bool:
        code = self.code
        function = self._outer(call)
        if function is None or self._is_memoized(call):
            return False
        from wardround_typescript.analysis.react_components import is_component

        name = code.name_of(function)
        if name in calls:
            return True
        key = self._property(call)
        if key not in names:
            return False
        if is_component(code, function):
            return self._is_of_list(call, function)
        return self._is_called_in_render(name) and self._is_of_list(call, function)

    def _outer(self, call: Node) -> Node | None:
        from wardround_typescript.analysis.react_components import top_function

        return top_function(call)

    def _property(self, call: Node) -> str:
        above = call.parent
        while above is not None and above.type in (
            "template_substitution",
            "template_string",
            "binary_expression",
            "call_expression",
            "member_expression",
            "arguments",
        ):
            above = above.parent
        return self.code.field(above, "key") if above is not None and above.type == "pair" else ""

    def _is_of_list(self, call: Node, function: Node) -> bool:
        """Return True if the call runs for each item of a rendered ``map``, and not in a handler."""
        from wardround.languages.script.code import function_around

        code = self.code
        inner = function_around(call)
        if inner is None or inner.id == function.id:
            return False
        while inner is not None and inner.id != function.id:
            given = inner.parent
            mapped = given.parent if given is not None and given.type == "arguments" else None
            if mapped is None or not code.called(mapped).endswith((".map", ".flatMap")):
                return False
            inner = function_around(inner)
        return True

    def _is_memoized(self, call: Node) -> bool:
        """Return True if a hook that computes its value once contains the node."""
        above = call.parent
        while above is not None:
            if above.type == "call_expression" and self.code.called(above).removeprefix("React.") in _KEPT:
                return True
            above = above.parent
        return False

    def _is_called_in_render(self, name: str) -> bool:
        """Return True if a component calls a function of the file during rendering, unmemoized."""
        from wardround.languages.script.code import function_around
        from wardround_typescript.analysis.react_components import is_component

        for called, call in self.code.calls:
            if called == name and not self._is_memoized(call):
                function = function_around(call)
                if function is not None and is_component(self.code, function):
                    return True
        return False
