from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import child, first_part, is_kind, parent

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node
    from wardround_typescript.analysis.react_components import Effect

_TOLD = LazyPattern(
    r"(?i)(^|\.)(show|push|add|enqueue|display|open)?_?(toast|snack_?bar|notification"
    r"|notify|flash)\w*$"
    r"|(^|\.)toast\w*\.\w+$|(^|\.)(message|notification)\.(success|error|info"
    r"|warning)$|^(window\.)?alert$"
    r"|(^|\.)(track|trackEvent|logEvent|sendEvent|capture|captureEvent|recordEvent"
    r"|gtag|reportEvent)$"
)
_LED = LazyPattern(
    r"^(navigate|history\.(push|replace)|\w*[rR]outer\.(push|replace|navigate)"
    r"|redirect)$"
)
_SENT = LazyPattern(
    r"(^|\.)(mutate|mutateAsync)$"
    r"|^(axios|api|client|http|ky)\.(post|put|patch|delete)$"
    r"|^(save|submit|post|create|update|delete|remove|place|confirm|checkout|purchase"
    r"|send)([A-Z]\w*)?$"
)
_DISPATCHED = LazyPattern(
    r"^dispatch\(\s*(\w+\.)?(\w+(Added|Removed|Deleted|Created|Submitted|Saved"
    r"|Moved|Placed|Purchased|Bought|Cleared)"
    r"|(add|remove|delete|create|submit|save|move|place|buy|checkout)[A-Z]\w*)\("
)
_WRITES = LazyPattern(r"method\s*:\s*['\"](?:POST|PUT|PATCH|DELETE)['\"]")
_STORED = LazyPattern(r"^use\w*(Selector|Store|Atom(Value)?|Recoil\w+)$")
_HAPPENED = LazyPattern(
    r"(?i)\b(added|removed|saved|deleted|updated|moved|created|sent|copied|submitted"
    r"|changed)\b"
)
_MOST_WORDS_OF_TIME = LazyPattern(
    r"\b(setTimeout|setInterval|requestAnimationFrame|addEventListener|subscribe"
    r"|debounce\w*|throttle\w*)\b"
)
_WAITED = LazyPattern(r"(?i)debounce|deferred|throttle|autosave|autoSave")


_TELLING_HOOKS = ("useToast", "useToasts", "useSnackbar", "useNotification", "useNotifications")


class EventHandlerInEffect(TreeCheck):
    """An effect performs the action of the event handler that changes its state.

    The effect runs whenever the value is set, not when the user acts: on the first render, when a saved state
    is restored, and twice in development. Notify, send or navigate in the handler that knows what happened.
    """

    ID = "TS051"
    NAME = "event-handler-in-effect"
    DEFECT_CLASS = "effect-instead-of-handler"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.INFO
    KINDS = (".tsx", ".jsx", ".ts", ".js")
    WORDS = ("useEffect", "useLayoutEffect")
    ALSO = (("useState", "Selector", "Store", "Atom"),)
    CASE_PATH = "a.tsx"
    VALID = [
        code("""
            function Page({ page }) {
              const [tab, setTab] = useState('a');
              useEffect(() => { localStorage.setItem('tab', tab); }, [tab]);
              useEffect(() => { track('page_view'); }, []);
              return <button onClick={() => setTab('b')} />;
            }
        """),
        code("""
            function List() {
              const [page, setPage] = useState(1);
              useEffect(() => { dispatch(fetchRows({ page })); }, [page]);
              return <button onClick={() => setPage(page + 1)} />;
            }
        """),
    ]
    INVALID = [
        code("""
            function Search({ onClose }) {
              const router = useRouter();
              const [asked, setAsked] = useState(null);
              useEffect(() => {
                «if (!asked) return;»
                setAsked(null);
                router.push(`/search?q=${asked.q}`);
              }, [asked, router]);
              return <form onSubmit={handleSubmit((values) => setAsked(values))} />;
            }
        """),
        code("""
            function Plans() {
              const [plan, setPlan] = useState('free');
              useEffect(() => {
                «analytics.track('plan', { plan })»;
              }, [plan]);
              return <input onChange={() => setPlan('pro')} />;
            }
        """),
    ]

    def check(self) -> None:
        from wardround_typescript.analysis.react_components import component_around, effects

        for effect in effects(self.code):
            component = component_around(self.code, effect.call)
            event = next(self._events(effect), None) if effect.dependencies else None
            if component is None or event is None or not self._is_event(effect, component):
                continue
            self.report_node(
                self._guard(effect) or event,
                "action belongs in the event handler that changes this state; move it out of the effect",
            )

    def _is_event(self, effect: Effect, component: Node) -> bool:
        text = self.code.text(effect.function)
        if _MOST_WORDS_OF_TIME.search(text) or self._returns_end(effect.function):
            return False
        if self._is_of_handlers(effect, component):
            return True
        return _HAPPENED.search(text) is not None and self._is_of_store(effect)

    def _returns_end(self, function: Node) -> bool:
        from wardround.languages.script.code import FUNCTIONS, returned_expressions

        return any(value.type in FUNCTIONS for value in returned_expressions(function))

    def _events(self, effect: Effect) -> Iterator[Node]:
        """Yield the calls that notify users or servers of an event."""
        is_guarded = self._is_guarded(effect)
        for call in _calls(effect.function):
            if self._notifies_parent(call) or (is_guarded and self._sends_request(call)):
                yield call

    def _notifies_parent(self, call: Node) -> bool:
        called = self.code.callee(call)
        if called in self._telling_names or _TOLD.search(called):
            return True
        return called == "dispatch" and _DISPATCHED.search(self.code.text(call)) is not None

    def _sends_request(self, call: Node) -> bool:
        called = self.code.callee(call)
        if _LED.search(called) or _SENT.search(called):
            return True
        return called == "fetch" and _WRITES.search(self.code.text(call)) is not None

    def _is_guarded(self, effect: Effect) -> bool:
        """Return True if the effect first tests one of its dependencies."""
        return self._guard(effect) is not None

    def _guard(self, effect: Effect) -> Node | None:
        """Return the condition at the start of the effect if it tests one of its dependencies."""
        first = first_part(child(effect.function, "body"))
        if not is_kind(first, "if_statement"):
            return None
        condition = self.code.field(first, "condition").strip("()!")
        tested = condition.split(" ")[0].rstrip(")")
        names = {tested, tested.partition(".")[0]}
        return None if names.isdisjoint(effect.dependencies or ()) else first

    @cached_property
    def _telling_names(self) -> frozenset[str]:
        """Return the names destructured from a toast hook: ``const { push } = useToast()``."""
        names: set[str] = set()
        for hook in _TELLING_HOOKS:
            for call in self.code.calls_named(hook):
                if is_kind(call.parent, "variable_declarator"):
                    names.update(self.code.names_in(child(call.parent, "name")))
        return frozenset(names)

    def _is_of_handlers(self, effect: Effect, component: Node) -> bool:
        """Return True if the effect depends on a state that only event handlers set."""
        from wardround_typescript.analysis.react_components import states

        body = self.code.text(effect.function)
        if _WAITED.search(body):
            return False
        known = {state.name: state for state in states(self.code, component)}
        followed = [known[name] for name in effect.dependencies or () if name in known]
        if any(state.name not in body for state in followed):
            return False
        return bool(followed) and all(self._is_set_by_handlers(state.setter, effect) for state in followed)

    def _is_set_by_handlers(self, setter: str, effect: Effect) -> bool:
        """Return True if only handlers set a state; a reset in the effect itself does not count."""
        from wardround.languages.script.code import within

        uses, others = self._uses(setter)
        if len(within(uses, effect.function)) == len(uses):
            return bool(uses) and not others
        return len(within(others, effect.function)) == len(others)

    def _uses(self, setter: str) -> tuple[Sequence[Node], Sequence[Node]]:
        """Return the uses of a setter, and those of them outside of handlers."""
        if setter not in self._uses_known:
            uses = [node for node in self.code.reads("identifier", setter) if not _is_declared(node)]
            others = [node for node in uses if not self._is_of_handler(node)]
            self._uses_known[setter] = (uses, others)
        return self._uses_known[setter]

    def _is_of_handler(self, node: Node) -> bool:
        from wardround_typescript.analysis.react_components import is_in_handler

        return self._is_user(node) or is_in_handler(self.code, node)

    @cached_property
    def _uses_known(self) -> dict[str, tuple[Sequence[Node], Sequence[Node]]]:
        return {}

    def _is_user(self, node: Node) -> bool:
        """Return True if a setter is passed directly to an element."""
        attribute = parent(node.parent) if is_kind(node.parent, "jsx_expression") else None
        if not is_kind(attribute, "jsx_attribute"):
            return False
        return self.code.text(attribute.named_children[0]).startswith("on")

    def _is_of_store(self, effect: Effect) -> bool:
        """Return True if the effect depends on a store that a handler of the file changes."""
        values = (self.code.value_of(name, effect.call) for name in effect.dependencies or ())
        return any(map(self._is_store_value, values)) and self._is_store_changed

    def _is_store_value(self, value: Node | None) -> bool:
        return is_kind(value, "call_expression") and _STORED.search(self.code.callee(value)) is not None

    @cached_property
    def _is_store_changed(self) -> bool:
        """Return True if a handler of the file changes the store."""
        from wardround_typescript.analysis.react_components import is_in_handler

        return any(is_in_handler(self.code, call) for call in self.code.calls_named("dispatch"))


def _calls(function: Node) -> Iterator[Node]:
    from wardround.languages.script.syntax import inside

    for node in inside(function):
        if node.type == "call_expression":
            yield node


def _is_declared(node: Node) -> bool:
    return is_kind(node.parent, "array_pattern")
