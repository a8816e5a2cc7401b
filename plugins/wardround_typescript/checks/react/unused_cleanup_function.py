"""TS052: unused cleanup function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_TAKES_CLEANUP = frozenset(
    {"useEffect", "useLayoutEffect", "useInsertionEffect", "onMount", "$effect", "$effect.pre"}
)
_TAKES_NONE = frozenset(
    {"onMounted", "onBeforeMount", "onActivated", "onUpdated", "afterUpdate", "beforeUpdate"}
)
_ENDS = LazyPattern(
    r"(?i)^(\(\s*\)\s*=>|function\s*\(\s*\))|^(un(subscribe|listen|bind|sub|watch"
    r"|register)|stop|off|cleanup|dispose|teardown)$"
)
_ENDING_CALL = LazyPattern(
    r"^(clearInterval|clearTimeout|cancelAnimationFrame|(\w+\.)*(close|disconnect"
    r"|unsubscribe|removeEventListener|off|abort|terminate|destroy|unobserve|leave))$"
)


class UnusedCleanupFunction(TreeCheck):
    """A cleanup function is never called, so the resource it closes stays open.

    Effects, and ``onMount`` of Svelte, call the returned function: an async function returns a promise
    instead, a nested callback returns it to its own caller, and ``onMounted`` of Vue ignores it. Return it
    from the effect itself, or pass it to ``onDestroy`` or ``onUnmounted``.
    """

    ID = "TS052"
    NAME = "unused-cleanup-function"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "missing-effect-cleanup"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("Effect(", "onMount", "$effect", "onActivated", "pdate(", "onUpdated")
    ALSO = (("return", "=>"),)
    CASE_PATH = "a.tsx"
    VALID = [
        code(
            """
            <script>
              onMount(() => {
                const s = new WebSocket(url);
                return () => s.close();
              });
            </script>
            """,
            path="a.svelte",
        ),
        code("""
            useEffect(() => {
              load().then((rows) => {
                return rows.filter(() => true);
              });
              const id = setInterval(tick, 5);
              return () => clearInterval(id);
            }, []);
        """),
    ]
    INVALID = [
        code(
            """
            <script>
              onMount(async () => {
                const s = new WebSocket(await address());
                «return () => s.close();»
              });
            </script>
            """,
            path="a.svelte",
        ),
        code(
            """
            <script setup>
            onMounted(() => {
              window.addEventListener('resize', fit);
              «return () => window.removeEventListener('resize', fit);»
            });
            </script>
            """,
            path="a.vue",
        ),
    ]

    def check(self) -> None:
        from wardround.languages.script.code import argument, is_async

        for called, call in self.code.calls:
            name = called.removeprefix("React.")
            function = self.code.function_meant(argument(call, 0))
            if function is None:
                continue
            if name in _TAKES_NONE or (name in _TAKES_CLEANUP and is_async(function)):
                self._report(
                    list(_returns(function)),
                    "cleanup is never called, since its caller ignores the result; return it from the effect",
                )
            elif name in _TAKES_CLEANUP:
                self._report_lost(function)
                self._report_immediate(function)

    def _report_immediate(self, function: Node) -> None:
        for node in list(_returns(function)):
            value = node.named_children[0]
            if value.type == "call_expression" and _ENDING_CALL.search(self.code.called(value)):
                self.report_node(node, "cleanup is called immediately; return a function instead")

    def _report(self, returns: Sequence[Node], message: str) -> None:
        for node in returns:
            if self._is_cleanup(node.named_children[0]):
                self.report_node(node, message)

    def _is_cleanup(self, value: Node) -> bool:
        from wardround.languages.script.code import FUNCTIONS, argument

        if value.type in FUNCTIONS:
            given = value.child_by_field_name("parameters")
            return given is None or not given.named_children
        del argument
        return value.type == "identifier" and _ENDS.search(self.code.text(value)) is not None

    def _report_lost(self, effect: Node) -> None:
        """Yield the cleanups that a callback or a helper in the effect returns to no caller."""
        for inner in self._dropped(effect):
            found = [node for node in _returns(inner) if self._is_cleanup(node.named_children[0])]
            self._report(
                found, "cleanup is returned to the caller of the callback, not to the effect; return it there"
            )

    def _dropped(self, effect: Node) -> Iterator[Node]:
        """Yield the functions in an effect whose result is unused."""
        from wardround.languages.script.code import function_around
        from wardround.languages.script.syntax import inside

        for node in inside(effect):
            if node.type != "call_expression" or not _is_dropped(node):
                continue
            around = function_around(node)
            function = self._run_by(node) if around is not None and around.id == effect.id else None
            if function is not None:
                yield function

    def _run_by(self, call: Node) -> Node | None:
        """Return the callback of a promise, or the async function, that a call runs."""
        from wardround.languages.script.code import FUNCTIONS, argument, is_async

        called = self.code.called(call)
        if called.endswith((".then", ".finally")):
            callback = argument(call, 0)
            return callback if callback is not None and callback.type in FUNCTIONS else None
        function = self.code.function_of(called, call) if "." not in called else None
        return function if function is not None and is_async(function) else None


def _is_dropped(call: Node) -> bool:
    """Return True if a call is a statement, including the end of a promise chain."""
    above = call.parent
    while above is not None and above.type in ("member_expression", "call_expression", "unary_expression"):
        above = above.parent
    return above is not None and above.type == "expression_statement"


def _returns(function: Node) -> Iterator[Node]:
    from wardround.languages.script.code import own_nodes

    for node in own_nodes(function):
        if node.type == "return_statement" and node.named_children:
            yield node
