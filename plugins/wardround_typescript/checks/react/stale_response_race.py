from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import ancestors, call_with, child, is_kind, parent

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
            setters = (self._setter_after_response(*run, component) for run in self._runs(effect))
            location = next(filter(None, setters), None)
            if location is not None:
                self.report_node(
                    location,
                    "late response for an old value can overwrite the current one; discard it in the cleanup",
                )

    def _has_end(self, function: Node) -> bool:
        """Return True if the effect returns a cleanup of any kind."""
        from wardround.languages.script.code import returned_expressions

        if not is_kind(child(function, "body"), "statement_block"):
            return False
        return any(value.type not in ("undefined", "null") for value in returned_expressions(function))

    def _runs(self, effect: Effect) -> Iterator[tuple[Node, list[str]]]:
        """Yield the functions that the effect runs, with the values that rerun them."""
        from wardround.languages.script.code import function_around

        dependencies = effect.dependencies or ()
        yield effect.function, _changing_names(dependencies)
        if function_around(effect.call) is None:
            return
        for name in dependencies:
            function = self.code.function_of(name, effect.call)
            if function is None or f"{name}(" not in self.code.text(effect.function):
                continue
            yield function, _changing_names(self._dependencies_of(function))

    def _dependencies_of(self, function: Node) -> list[str]:
        """Return the dependency list of a ``useCallback``; none for other functions."""
        from wardround.languages.script.code import argument

        call = parent(function.parent)
        listed = argument(call, 1) if is_kind(call, "call_expression") else None
        if not is_kind(listed, "array"):
            return []
        return [self.code.text(value) for value in listed.named_children]

    def _setter_after_response(self, function: Node, changing: Sequence[str], component: Node) -> Node | None:
        """Return the first call that sets state from the response to a request with a value that changes."""
        from wardround_typescript.analysis.response_values import computed_from, response_names

        if not changing or self._is_guarded(function, component):
            return None
        values = [*changing, *computed_from(self.code, function, changing)]
        if not any(self._is_requested_with(call, values) for call in self._requests(function)):
            return None
        names = response_names(self.code, function)
        for node in self._setter_uses(function, component):
            if self._runs_after_response(node, function) and self._is_response(node, names):
                return node
        return None

    def _setter_uses(self, function: Node, component: Node) -> Iterator[Node]:
        """Yield the calls of setters, and the setters that are callbacks of ``then``."""
        setters = self._setters(component)
        return (node for node in _inside(function) if self._sets_state(node, setters))

    def _is_guarded(self, function: Node, component: Node) -> bool:
        """Return True if late responses are discarded, or only one request is under way."""
        from wardround_typescript.analysis.one_shot_guards import runs_once

        text = self.code.text(function)
        if _GUARDED.search(text) or self._is_guarded_by_hook(text, component):
            return True
        return runs_once(self.code, function)

    def _is_response(self, node: Node, names: set[str]) -> bool:
        """Return True if the new state comes from the response and is not stored under the key of the
        request.
        """
        from wardround_typescript.analysis.response_values import is_of_response

        if node.type == "identifier":
            return True
        arguments = node.child_by_field_name("arguments")
        if arguments is None or not is_of_response(self.code, arguments, names):
            return False
        return _KEPT_BY_KEY.search(self.code.text(arguments)) is None

    def _is_guarded_by_hook(self, text: str, component: Node) -> bool:
        """Return True if a flag in the effect itself guards; a ref that another effect clears does not."""
        if not _MOUNTED.search(text):
            return False
        return "useIsMounted" in self.code.text(component) or ".current" not in text or "return" in text

    def _setters(self, component: Node) -> frozenset[str]:
        from wardround_typescript.analysis.react_components import states

        return frozenset(state.setter for state in states(self.code, component, "useState", "useReducer"))

    def _requests(self, function: Node) -> Iterator[Node]:
        """Yield the calls whose response is awaited."""
        from wardround.languages.script.code import awaited_call

        for node in _inside(function):
            awaited = awaited_call(node)
            if awaited is not None:
                yield awaited
            elif node.type == "call_expression" and self.code.callee(node).endswith(".then"):
                request = child(child(node, "function"), "object")
                if is_kind(request, "call_expression"):
                    yield request

    def _is_requested_with(self, call: Node, changing: Sequence[str]) -> bool:
        from wardround_typescript.analysis.response_values import words_in

        arguments = child(call, "arguments")
        if arguments is None or _NO_REQUEST.search(self.code.callee(call)):
            return False
        return not words_in(self.code, arguments).isdisjoint(changing)

    def _sets_state(self, node: Node, setters: frozenset[str]) -> bool:
        if node.type == "call_expression":
            return self.code.callee(node) in setters
        if node.type != "identifier" or self.code.text(node) not in setters:
            return False
        call = call_with(node)
        return call is not None and self.code.callee(call).endswith(".then")

    def _runs_after_response(self, node: Node, effect: Node) -> bool:
        """Return True if a node runs after a response: behind an await, or in a callback of ``then``."""
        from wardround.languages.script.code import FUNCTIONS

        if node.type == "identifier":
            return True
        for function in ancestors(node):
            if function.type not in FUNCTIONS:
                continue
            if _awaits_before(function, node) or self._is_promise_callback(function):
                return True
            if function.id == effect.id:
                return False
        return False

    def _is_promise_callback(self, function: Node) -> bool:
        call = call_with(function)
        return call is not None and self.code.callee(call).endswith(".then")


def _changing_names(values: Iterable[str]) -> list[str]:
    return [value for value in values if not _STABLE.search(value)]


def _inside(node: Node) -> Iterator[Node]:
    from wardround.languages.script.syntax import inside

    return inside(node)


def _awaits_before(function: Node, node: Node) -> bool:
    awaits = (part for part in _inside(function) if part.type == "await_expression")
    return any(part.start_byte < node.end_byte for part in awaits)
