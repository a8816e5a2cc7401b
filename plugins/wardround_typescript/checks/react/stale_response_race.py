"""TS054: stale response race."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node
    from wardround_typescript.analysis.react_components import Effect

_GUARDED = LazyPattern(
    r"(?i)\b(signal|abort\w*|\w*cancel\w*|ignored?|\w*stale|obsolete|disposed"
    r"|alive|active|latest\w*|last\w*"
    r"|is(Active|Current|Alive|Subscribed|Latest)\w*|did(Cancel|Unmount)|request_?id\w*"
    r"|seq\w*|generation|version)\b"
    r"|!\s*(is)?(fetching|loading|pending|busy)\w*\b(?=[^;]*\)\s*(await\s+)?\w+\()"
    r"|\.current\s*[!=]==|[!=]==\s*\w+\.current\b"
)
_KEPT_BY_KEY = LazyPattern(r"[{,]\s*\[[\w.]+\]\s*:")
_MOUNTED = LazyPattern(r"(?i)\b(is_?|was_?|did_?)?(un)?mounted\w*\b|\buseIsMounted")
_STABLE = LazyPattern(
    r"^(set[A-Z]\w*|dispatch|navigate|router|t|i18n|toast\w*|\w*[cC]lient|supabase"
    r"|api|history|\w+Ref)$"
)
_NO_REQUEST = LazyPattern(
    r"^(import|require|Promise\.\w+|setTimeout|new Promise|sleep|delay|wait|nextTick"
    r"|\w+\.(json|text|blob|arrayBuffer"
    r"|play|load|decode|ready|isReady|focus|getMany))$"
)


class StaleResponseRace(TreeCheck):
    """A late response for an old value can overwrite the response for the current one.

    The effect runs again whenever the value changes, and responses arrive in any order, also after the
    component is unmounted. Set a flag in the cleanup of the effect that discards the response, abort the
    request, or use a query library. A ref that records whether the component is mounted does not help: it
    still is.
    """

    ID = "TS054"
    NAME = "stale-response-race"
    DEFECT_CLASS = "effect-request-race"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.INFO
    KINDS = (".tsx", ".jsx", ".ts", ".js")
    WORDS = ("useEffect", "useLayoutEffect")
    ALSO = (("await", ".then("), ("set", "useReducer"))
    CASE_PATH = "a.tsx"
    VALID = [
        code("""
            function User({ id }) {
              const [user, setUser] = useState(null);
              useEffect(() => {
                let ignore = false;
                load(id).then((found) => { if (!ignore) setUser(found); });
                return () => { ignore = true; };
              }, [id]);
            }
        """),
        code("""
            function User({ id }) {
              const [user, setUser] = useState(null);
              useEffect(() => {
                load().then(setUser);
              }, []);
              useEffect(() => { setUser(null); }, [id]);
            }
        """),
    ]
    INVALID = [
        code("""
            function Find({ text }) {
              const [rows, setRows] = useState([]);
              useEffect(() => {
                const asked = new URLSearchParams({ q: text });
                search(`/find?${asked.toString()}`).then(({ data }) => «setRows(data)»);
              }, [text]);
            }
        """),
        code(
            """
            function useUser(id) {
              const [state, dispatch] = useReducer(reducer, first);
              useEffect(() => {
                async function load() {
                  const user = await api.get(id);
                  «dispatch({ user })»;
                }
                void load();
              }, [id]);
              return state;
            }
            """,
            path="a.ts",
        ),
    ]

    def check(self) -> None:
        from wardround_typescript.analysis.react_components import component_around, effects

        for effect in effects(self.code):
            component = component_around(self.code, effect.call)
            if component is None or not effect.dependencies or self._has_end(effect.function):
                continue
            for function, changing in self._runs(effect):
                place = self._late_setter(function, changing, component)
                if place is not None:
                    self.report_node(
                        place,
                        "late response for an old value can overwrite the current one; discard it in "
                        "the cleanup",
                    )
                    break

    def _has_end(self, function: Node) -> bool:
        """Return True if the effect returns a cleanup of any kind."""
        from wardround.languages.script.code import returned

        body = function.child_by_field_name("body")
        return (
            body is not None
            and body.type == "statement_block"
            and any(one.type not in ("undefined", "null") for one in returned(function))
        )

    def _runs(self, effect: Effect) -> Iterator[tuple[Node, tuple[str, ...]]]:
        """Yield the functions that the effect runs, with the values that rerun them."""
        from wardround.languages.script.code import function_around

        yield effect.function, tuple(one for one in effect.dependencies or () if not _STABLE.search(one))
        if function_around(effect.call) is None:
            return
        for name in effect.dependencies or ():
            function = self.code.function_of(name, effect.call)
            if function is not None and f"{name}(" in self.code.text(effect.function):
                values = self._dependencies_of(function)
                if values is not None:
                    yield function, tuple(value for value in values if not _STABLE.search(value))

    def _dependencies_of(self, function: Node) -> list[str] | None:
        """Return the dependency list of a ``useCallback``; None for other functions."""
        from wardround.languages.script.code import argument

        call = function.parent.parent if function.parent is not None else None
        if call is None or call.type != "call_expression":
            return None
        listed = argument(call, 1)
        if listed is None or listed.type != "array":
            return None
        return [self.code.text(one) for one in listed.named_children]

    def _late_setter(self, function: Node, changing: Sequence[str], component: Node) -> Node | None:
        """Return the first call that sets state from the response to a request with a value that changes."""
        if not changing or self._is_guarded(function, component):
            return None
        tests = [*changing, *self._made_of(function, changing)]
        if not any(self._is_requested_with(call, tests) for call in self._requests(function)):
            return None
        setters = self._setters(component)
        results = self._response_names(function)
        for node in _inside(function):
            if (
                self._sets(node, setters)
                and self._is_late(node, function)
                and self._is_response(node, results)
            ):
                return node
        return None

    def _is_guarded(self, function: Node, component: Node) -> bool:
        """Return True if something discards late responses, or only one request is under way."""
        from wardround_typescript.analysis.one_shot_guards import runs_once

        text = self.code.text(function)
        if _GUARDED.search(text) or self._is_guarded_by_hook(text, component):
            return True
        return runs_once(self.code, function)

    def _made_of(self, function: Node, changing: Sequence[str]) -> list[str]:
        """Return the variables of a function that are computed from the values that rerun it."""
        found: list[str] = []
        for node in _inside(function):
            value = node.child_by_field_name("value") if node.type == "variable_declarator" else None
            if value is not None and value.type not in ("arrow_function", "function_expression"):
                words = {self.code.text(one) for one in _inside(value) if one.type in _NAMES}
                if not words.isdisjoint([*changing, *found]):
                    found += self.code.names_in(node.child_by_field_name("name"))
        return found

    def _response_names(self, function: Node) -> set[str]:
        """Return the names of the awaited results in a function, and of values computed from them."""
        code = self.code
        names: set[str] = set()
        for node in _inside(function):
            if node.type == "call_expression" and code.called(node).endswith(".then"):
                names.update(self._parameters_of_callback(node))
            elif node.type in ("variable_declarator", "assignment_expression"):
                value = node.child_by_field_name("value") or node.child_by_field_name("right")
                target = node.child_by_field_name("name") or node.child_by_field_name("left")
                if value is not None and self._is_of_response(value, names):
                    names.update(code.names_in(target))
        return names

    def _parameters_of_callback(self, call: Node) -> Iterable[str]:
        from wardround.languages.script.code import FUNCTIONS, argument

        callback = argument(call, 0)
        if callback is None or callback.type not in FUNCTIONS:
            return ()
        lone = callback.child_by_field_name("parameter")
        return self.code.names_in(lone or callback.child_by_field_name("parameters"))

    def _is_of_response(self, value: Node, names: set[str]) -> bool:
        return any(
            one.type in ("await_expression", "yield_expression")
            or (one.type in _NAMES and self.code.text(one) in names)
            for one in _inside(value)
        )

    def _is_response(self, node: Node, names: set[str]) -> bool:
        """Return True if the new state comes from the response and is not stored under the key of the
        request.
        """
        if node.type == "identifier":
            return True
        arguments = node.child_by_field_name("arguments")
        if arguments is None or not self._is_of_response(arguments, names):
            return False
        return _KEPT_BY_KEY.search(self.code.text(arguments)) is None

    def _is_guarded_by_hook(self, text: str, component: Node) -> bool:
        """Return True if a flag in the effect itself guards; a ref that another effect clears does not."""
        if not _MOUNTED.search(text):
            return False
        return "useIsMounted" in self.code.text(component) or ".current" not in text or "return" in text

    def _setters(self, component: Node) -> frozenset[str]:
        from wardround_typescript.analysis.react_components import states

        return frozenset(one.setter for one in states(self.code, component, "useState", "useReducer"))

    def _requests(self, function: Node) -> Iterator[Node]:
        """Yield the calls whose response is awaited."""
        from wardround.languages.script.code import awaited_call

        for node in _inside(function):
            awaited = awaited_call(node)
            if awaited is not None:
                yield awaited
            elif node.type == "call_expression" and self.code.called(node).endswith(".then"):
                owner = node.child_by_field_name("function")
                value = owner.child_by_field_name("object") if owner is not None else None
                if value is not None and value.type == "call_expression":
                    yield value

    def _is_requested_with(self, call: Node, changing: Sequence[str]) -> bool:
        arguments = call.child_by_field_name("arguments")
        if arguments is None or _NO_REQUEST.search(self.code.called(call)):
            return False
        words = {self.code.text(one) for one in _inside(arguments) if one.type in _NAMES}
        return any(name in words for name in changing)

    def _sets(self, node: Node, setters: frozenset[str]) -> bool:
        code = self.code
        if node.type == "call_expression":
            return code.called(node) in setters
        if node.type == "identifier" and code.text(node) in setters:
            given = node.parent
            call = given.parent if given is not None and given.type == "arguments" else None
            return call is not None and code.called(call).endswith(".then")
        return False

    def _is_late(self, node: Node, effect: Node) -> bool:
        """Return True if a node runs after a response: behind an await, or in a callback of ``then``."""
        from wardround.languages.script.code import function_around

        if node.type == "identifier":
            return True
        above = function_around(node)
        while above is not None:
            if _awaits_before(above, node) or self._is_then_callback(above):
                return True
            if above.id == effect.id:
                return False
            above = function_around(above)
        return False

    def _is_then_callback(self, function: Node) -> bool:
        arguments = function.parent
        if arguments is None or arguments.type != "arguments" or arguments.parent is None:
            return False
        return self.code.called(arguments.parent).endswith(".then")


_NAMES = ("identifier", "member_expression", "shorthand_property_identifier")


def _inside(node: Node) -> Iterator[Node]:
    from wardround.languages.script.syntax import inside

    return inside(node)


def _awaits_before(function: Node, node: Node) -> bool:
    return any(one.type == "await_expression" and one.start_byte < node.end_byte for one in _inside(function))
