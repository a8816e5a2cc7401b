from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import child, has_kind, is_kind

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
_MARKUP = LazyPattern(r"<svelte:window[^>]*\bon:?message=\{(\w+)\}")
_MOST_HELPERS = 2
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
            location = self._find_trusting_function(function, _MOST_HELPERS)
            if location is not None and location.id not in seen:
                seen.add(location.id)
                self.report_node(
                    location, "any page can send this message; compare event.origin before using the data"
                )

    def _receivers(self) -> Iterator[Node]:
        """Yield the handlers of window messages that are not inline in the call that adds them."""
        candidates = [*self._added_handlers(), *self._markup_handlers()]
        return (function for function in candidates if function is not None)

    def _added_handlers(self) -> Iterator[Node | None]:
        from wardround.languages.script.code import FUNCTIONS, argument

        for called, call in self.code.calls:
            if called == "on" or not _ADDS.search(called):
                continue
            handler = argument(call, 1)
            if handler is None or handler.type in FUNCTIONS:
                continue
            if self.text(argument(call, 0))[1:-1] == "message":
                yield self._resolve(handler)

    def _markup_handlers(self) -> Iterator[Node | None]:
        if self.source.path.endswith(".svelte"):
            for name in _MARKUP.findall(self.source.text):
                yield self.code.function_of(name, self.code.module.root)

    def _resolve(self, handler: Node) -> Node | None:
        from wardround.languages.script.code import FUNCTIONS

        text = self.text(handler).removesuffix(".bind(this)")
        if not text.startswith("this."):
            return self.code.referenced_function(handler)
        name = text.removeprefix("this.")
        members = self.code.kinds("method_definition", "public_field_definition")
        member = next((member for member in members if self.code.field(member, "name") == name), None)
        function = child(member, "value") if is_kind(member, "public_field_definition") else member
        return function if has_kind(function, FUNCTIONS) else None

    def _find_trusting_function(self, function: Node, depth: int) -> Node | None:
        """Return the function that uses the data unchecked: this one, or the one that receives the event."""
        text = self.text(function)
        helpers = self._helpers(function)
        if any(_CHECKED.search(part) for part in (text, *map(self.text, helpers))):
            return None
        if _READS.search(text):
            return function
        return self._find_trusting_function(helpers[0], depth - 1) if helpers and depth else None

    def _helpers(self, function: Node) -> list[Node]:
        """Return the functions of the file that a function calls by name."""
        from wardround.languages.script.code import own_nodes

        calls = [node for node in own_nodes(function) if node.type == "call_expression"]
        named = [(self.code.callee(call), call) for call in calls]
        helpers = [self.code.function_of(called, call) for called, call in named if "." not in called]
        return [helper for helper in helpers if helper is not None]
