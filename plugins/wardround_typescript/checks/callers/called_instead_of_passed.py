"""TS076: called instead of passed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_TIMERS = LazyPattern(
    r"^((window|globalThis)\.)?(setTimeout|setInterval|setImmediate|requestAnimationFrame"
    r"|queueMicrotask)$|^process\.nextTick$"
)
_LISTENERS = LazyPattern(r"\.(addEventListener|removeEventListener|once|addListener)$")
_EVENT = LazyPattern(r"^on[A-Z]\w*$")
_SETTER = LazyPattern(r"^set[A-Z]\w*$")
_MAKERS = LazyPattern(
    r"(?i)handler|factory|create|make|curry|with|bind|debounce|throttle|callback"
    r"|listener|^on[A-Z]|^use"
)


class CalledInsteadOfPassed(TreeCheck):
    """A function is called at once where a callback is expected, and its result is not a function.

    Code that should run later, on an event or after a delay, runs while this line is evaluated, and the event
    has no handler; in a component it runs on every render. Pass the function itself, or an arrow function
    that calls it.
    """

    ID = "TS076"
    NAME = "called-instead-of-passed"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "called-instead-of-passed"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.ERROR
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = (
        "setTimeout(",
        "setInterval(",
        "addEventListener(",
        "={",
        "nextTick(",
        "AnimationFrame(",
        ".once(",
    )
    ALSO = (
        ("setTimeout(", "setInterval(", "addEventListener(", "={", "nextTick(", "AnimationFrame(", ".once("),
        (")",),
    )
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            function later(name) {
              return () => greet(name);
            }
            setTimeout(later('a'), 500);
            setTimeout(tick, 500);
        """),
        code(
            """
            const pick = (id) => () => setId(id);
            const A = () => <Row onPick={pick(3)} onOpen={open} />;
            """,
            path="a.tsx",
        ),
    ]
    INVALID = [
        code(
            """
            const wait = (ms) => new Promise((resolve) => {
              setTimeout(«resolve()», ms);
            });
            """,
            path="a.js",
        ),
        code("""
            function tick() {
              count += 1;
            }
            setInterval(«tick()», 1000);
        """),
    ]

    def check(self) -> None:
        for node in self._callbacks():
            if node.type == "call_expression" and self._is_without_result(node):
                self.report_node(
                    node,
                    f"{self.code.called(node)} is called immediately and returns no callback; pass the "
                    "function itself",
                )

    def _callbacks(self) -> Iterator[Node]:
        """Yield the expressions that are passed as callbacks."""
        from wardround.languages.script.code import argument

        code = self.code
        for called, call in code.calls:
            place = 0 if _TIMERS.search(called) else 1 if _LISTENERS.search(called) else None
            given = argument(call, place) if place is not None else None
            if given is not None:
                yield given
        for attribute in code.kinds("jsx_attribute"):
            value = attribute.named_children[-1]
            if (
                value.type == "jsx_expression"
                and value.named_children
                and _EVENT.search(code.text(attribute.named_children[0]))
            ):
                yield value.named_children[0]

    def _is_without_result(self, call: Node) -> bool:
        code = self.code
        called = code.called(call)
        if _SETTER.search(called) and self._is_state_setter(called, call):
            return True
        if called in ("resolve", "reject") and code.declared.get(called):
            return all(one.type.endswith(("parameter", "identifier")) for one in code.declared[called])
        function = code.function_of(called, call) if "." not in called else None
        return function is not None and not _MAKERS.search(called) and self._returns_nothing(function)

    def _returns_nothing(self, function: Node) -> bool:
        from wardround.languages.script.code import is_async, own_nodes, returned

        if is_async(function):
            return False
        body = function.child_by_field_name("body")
        if body is None or body.type != "statement_block" or "yield" in self.code.text(body):
            return False
        return not any(True for _ in returned(function)) and any(True for _ in own_nodes(function))

    def _is_state_setter(self, name: str, at: Node) -> bool:
        declaration = self.code.declaration(name, at)
        value = self.code.field(declaration, "value") if declaration is not None else ""
        return value.removeprefix("React.").startswith(("useState(", "useState<"))
