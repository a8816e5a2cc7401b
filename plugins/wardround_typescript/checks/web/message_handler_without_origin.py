"""TS084: message handler without origin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_ADDS = LazyPattern(
    r"^((window|globalThis|top|self)\.)?addEventListener$|^use(EventListener|WindowEvent"
    r"|Event)$|^on$"
)
_CHECKED = LazyPattern(r"(?i)origin|\.source\b|\bsource\b|isTrusted|contentWindow")
_READS = LazyPattern(r"\bdata\b")
_WORKER = LazyPattern(
    r"\b(importScripts|\w*WorkerGlobalScope|skipWaiting|workerData|parentPort)\b"
    r"|\bclients\."
)
_WORKER_PATH = LazyPattern(r"(?i)worker|(^|/)sw\.[jt]s$")


class MessageHandlerWithoutOrigin(TreeCheck):
    """A handler of window messages does not check the origin.

    Any page in another tab or frame may post messages to this window. Compare ``event.origin`` with the
    expected origins, or ``event.source`` with the frame you opened, before using ``event.data``.
    """

    ID = "TS084"
    NAME = "message-handler-without-origin"
    DEFECT_CLASS = "message-origin-unchecked"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("'message'", '"message"', "on:message", "onmessage")
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            function receive(event) {
              if (event.origin !== HOME) return;
              apply(event.data);
            }
            window.addEventListener('message', receive);
        """),
        code("""
            function receive(event) {
              apply(event.data);
            }
            worker.addEventListener('message', receive);
        """),
    ]
    INVALID = [
        code("""
            «function receive(event) {
              apply(event.data);
            }»
            window.addEventListener('message', receive);
        """),
        code("""
            class Bridge {
              constructor() {
                window.addEventListener('message', this.receive);
              }
              receive = «(event) => {
                this.apply(event.data);
              }»;
            }
        """),
    ]

    def check(self) -> None:
        if _WORKER.search(self.code.module.text) or _WORKER_PATH.search(self.source.path.rpartition("/")[2]):
            return
        seen: set[int] = set()
        for function in self._receivers():
            place = self._trusting(function, 2)
            if place is not None and place.id not in seen:
                seen.add(place.id)
                self.report_node(
                    place, "any page can send this message; compare event.origin before using the data"
                )

    def _receivers(self) -> Iterator[Node]:
        """Yield the handlers of window messages that are not inline in the call that adds them."""
        from wardround.languages.script.code import FUNCTIONS, argument

        code = self.code
        for called, call in code.calls:
            if _ADDS.search(called) and code.text(argument(call, 0))[1:-1] == "message":
                value = argument(call, 1)
                if called == "on" or value is None or value.type in FUNCTIONS:
                    continue
                function = self._resolved(value)
                if function is not None:
                    yield function
        for name in _markup_names(self.source.text) if self.source.path.endswith(".svelte") else ():
            function = code.function_of(name, code.module.root)
            if function is not None:
                yield function

    def _resolved(self, given: Node) -> Node | None:
        from wardround.languages.script.code import FUNCTIONS

        code = self.code
        text = code.text(given).removesuffix(".bind(this)")
        if not text.startswith("this."):
            return code.function_meant(given)
        for node in code.kinds("method_definition", "public_field_definition"):
            if code.field(node, "name") == text.removeprefix("this."):
                value = node.child_by_field_name("value") if node.type == "public_field_definition" else node
                return value if value is not None and value.type in FUNCTIONS else None
        return None

    def _trusting(self, function: Node, depth: int) -> Node | None:
        """Return the function that uses the data unchecked: this one, or the one that receives the event."""
        code = self.code
        text = code.text(function)
        if _CHECKED.search(text) or self._is_checked_by_helper(function):
            return None
        if _READS.search(text):
            return function
        for node in _calls(function):
            helper = code.function_of(code.called(node), node) if "." not in code.called(node) else None
            if helper is not None and depth:
                return self._trusting(helper, depth - 1)
        return None

    def _is_checked_by_helper(self, function: Node) -> bool:
        """Return True if a called function checks the origin of the message."""
        code = self.code
        for node in _calls(function):
            helper = code.function_of(code.called(node), node) if "." not in code.called(node) else None
            if helper is not None and _CHECKED.search(code.text(helper)):
                return True
        return False


def _calls(function: Node) -> Iterator[Node]:
    from wardround.languages.script.code import own_nodes

    return (node for node in own_nodes(function) if node.type == "call_expression")


_MARKUP = LazyPattern(r"<svelte:window[^>]*\bon:?message=\{(\w+)\}")


def _markup_names(text: str) -> list[str]:
    return _MARKUP.findall(text)
