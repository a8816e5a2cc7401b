"""TS053: effect helper without cleanup."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_STARTERS = frozenset({"useEffect", "useLayoutEffect", "onMount", "onMounted", "onBeforeMount"})
_OPENS_CALL = LazyPattern(
    r"^((window|globalThis)\.)?setInterval$"
    r"|^(window|document|globalThis|self|document\.body|(window\.)?visualViewport"
    r"|media|mql|\w*[mM]ediaQuery(List)?)"
    r"\.(addEventListener|addListener)$"
    r"|^(\w+\.)*(socket|bus|eventBus|emitter|events|channel|ws|connection|pubsub"
    r"|hub)\.(on|addListener|subscribe)$"
    r"|^navigator\.geolocation\.watchPosition$"
)
_OPENS_NEW = frozenset(
    {
        "WebSocket",
        "EventSource",
        "ResizeObserver",
        "IntersectionObserver",
        "MutationObserver",
        "BroadcastChannel",
    }
)
_ENDS = LazyPattern(
    r"\b(clearInterval|clearWatch|removeEventListener|removeListener|unsubscribe"
    r"|disconnect|unobserve|abort|terminate)\b"
    r"|\.(close|off|leave|destroy|stop)\s*\(|\bonce\s*:|\bsignal\b|\b(onDestroy"
    r"|onUnmounted|onBeforeUnmount|onScopeDispose"
    r"|componentWillUnmount|onCleanup|onWatcherCleanup)\b"
)


_ON_PAGE = LazyPattern(r"^(window|document|globalThis|document\.body)\.addEventListener$")
_ONCE = LazyPattern(r"\b(once|signal)\b|^[A-Za-z_$][\w$.]*$(?<!true)(?<!false)")
_CAPTURES = LazyPattern(r"^true$|\bcapture\s*:\s*true")


class EffectHelperWithoutCleanup(TreeCheck):
    """A function called by an effect opens a resource that no cleanup closes.

    Each mount of the component, or run of the effect, adds another timer, listener or connection, and all of
    them still call back. Return a function from the effect that closes it.
    """

    ID = "TS053"
    NAME = "effect-helper-without-cleanup"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "missing-effect-cleanup"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("Effect(", "onMount")
    ALSO = (
        (
            "setInterval",
            "addEventListener",
            "addListener",
            ".on(",
            ".subscribe(",
            "WebSocket",
            "EventSource",
            "Observer",
            "BroadcastChannel",
            "watchPosition",
        ),
    )
    CASE_PATH = "a.tsx"
    VALID = [
        code("""
            function Clock() {
              const start = () => setInterval(tick, 1000);
              useEffect(() => {
                const id = start();
                return () => clearInterval(id);
              }, []);
            }
        """),
        code("""
            function Clock() {
              const start = () => { setInterval(tick, 1000); };
              return <Go onClick={start} />;
            }
        """),
    ]
    INVALID = [
        code("""
            useEffect(() => {
              const seen = new ResizeObserver(fit);
              «window.addEventListener('orientationchange', fit)»;
              return () => seen.disconnect();
            }, []);
        """),
        code("""
            useEffect(() => {
              document.addEventListener('keydown', on, true);
              return () => «document.removeEventListener('keydown', on)»;
            }, [on]);
        """),
    ]

    def check(self) -> None:
        for node in self._left_on():
            self.report_node(
                node,
                "listener is not removed although there is a cleanup, so each run adds another; remove it",
            )
        seen: set[int] = set()
        for function in self._helpers():
            for node in self._opened(function):
                if node.id not in seen:
                    seen.add(node.id)
                    self.report_node(
                        node,
                        "effect that calls this never closes it, so each run opens another; return a cleanup",
                    )

    def _left_on(self) -> Iterator[Node]:
        """Yield the page listeners that an effect adds and nothing in the file removes in the same way."""
        from wardround.languages.script.code import argument, function_around

        code = self.code
        for called, call in code.calls:
            if not _ON_PAGE.search(called) or not self._is_of_mount(function_around(call)):
                continue
            event, options = code.text(argument(call, 0)), code.text(argument(call, 2))
            removed = self._removals(event)
            if event[:1] in ("'", '"') and not _ONCE.search(options):
                if not removed and code.says(_ENDS):
                    yield call
                elif _CAPTURES.search(options):
                    yield from (one for one in removed if self._is_other_phase(one, call))

    def _removals(self, event: str) -> list[Node]:
        return self._removals_of.get(event[1:-1], [])

    @cached_property
    def _removals_of(self) -> dict[str, list[Node]]:
        """Map an event to the calls that remove a listener of it."""
        from wardround.languages.script.code import argument

        found: dict[str, list[Node]] = {}
        for called, call in self.code.calls:
            if called.endswith("removeEventListener"):
                found.setdefault(self.code.text(argument(call, 0))[1:-1], []).append(call)
        return found

    def _is_other_phase(self, removal: Node, call: Node) -> bool:
        """Return True if the same listener is removed with another capture option than it was added with."""
        from wardround.languages.script.code import argument

        code = self.code
        is_same = code.text(argument(removal, 1)) == code.text(argument(call, 1))
        return is_same and argument(removal, 2) is None

    def _is_of_mount(self, function: Node | None) -> bool:
        """Return True if an effect or a mount hook runs the function."""
        given = function.parent if function is not None else None
        call = given.parent if given is not None and given.type == "arguments" else None
        return call is not None and self.code.called(call).removeprefix("React.") in _STARTERS

    def _helpers(self) -> Iterator[Node]:
        """Yield the functions that an effect calls without using their result, and named mount callbacks."""
        from wardround.languages.script.code import FUNCTIONS, argument

        code = self.code
        for called, call in code.calls:
            name = called.removeprefix("React.")
            value = argument(call, 0) if name in _STARTERS else None
            effect = code.function_meant(value)
            if value is None or effect is None or self._ends(effect, name):
                continue
            if value.type not in FUNCTIONS:
                yield effect
            yield from self._called_in(effect)

    def _ends(self, effect: Node, name: str) -> bool:
        from wardround.languages.script.code import returned

        if _ENDS.search(self.code.text(effect)):
            return True
        if name.startswith("onM") and self.code.says(_ENDS):
            return True
        body = effect.child_by_field_name("body")
        is_block = body is not None and body.type == "statement_block"
        return is_block and any(True for _ in returned(effect))

    def _called_in(self, effect: Node) -> Iterator[Node]:
        from wardround.languages.script.code import own_nodes

        for node in own_nodes(effect):
            if node.type == "call_expression":
                called = self.code.called(node)
                function = self.code.function_of(called, node) if "." not in called else None
                if function is not None and function.id != effect.id:
                    yield function

    def _opened(self, function: Node) -> Iterator[Node]:
        from wardround.languages.script.code import own_nodes

        if _ENDS.search(self.code.text(function)) or _hands_on(function):
            return
        for node in own_nodes(function):
            if (
                (node.type == "call_expression" and _OPENS_CALL.search(self.code.called(node)))
                or (node.type == "new_expression" and self.code.field(node, "constructor") in _OPENS_NEW)
            ) and not self._is_stored(node):
                yield node

    def _is_stored(self, node: Node) -> bool:
        """Return True if the resource is stored where other code of the file may close it."""
        parent = node.parent
        if parent is None or parent.type != "assignment_expression":
            return False
        return self.code.says(_ENDS)


def _hands_on(function: Node) -> bool:
    """Return True if the function returns something that may close what it opened."""
    from wardround.languages.script.code import returned

    body = function.child_by_field_name("body")
    if body is not None and body.type != "statement_block":
        return False
    return any(one.type not in ("undefined", "null", "true", "false") for one in returned(function))
