"""TS038: missing cleanup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_LASTING = LazyPattern(
    r"^(?:window|document|globalThis|self|screen|navigator|document\.body|document\.documentElement"
    r"|(?:window\.)?visualViewport|(?:window\.)?matchMedia\(.{0,80}\)|process|socket|eventBus|emitter|bus"
    r"|navigator\.\w+)\.(?P<how>addEventListener|addListener|on)$"
)
_OBSERVER = LazyPattern(r"^new (?:window\.)?(?:Resize|Intersection|Mutation|Performance)Observer\b")
_ENDS = LazyPattern(
    r"\b(?:remove\w*|clear(?:Interval|Timeout)|disconnect|unobserve|unsubscribe\w*|off|abort|cancel\w*|close|dispose\w*"
    r"|destroy\w*|stop\w*|unlisten\w*|teardown\w*|cleanup\w*)\s*\(|\w+\(false\)|=\s*(?:false|null|undefined)\b"
)
_END_METHODS = frozenset(
    {
        *(
            "componentWillUnmount",
            "disconnectedCallback",
            "ngOnDestroy",
            "destroy",
            "dispose",
            "unmount",
            "teardown",
        ),
        *(
            "disconnect",
            "stop",
            "close",
            "cleanup",
            "detach",
            "unbind",
            "unsubscribe",
            "onunload",
            "onUnload",
            "deinit",
        ),
    }
)
_SELF_ENDING = LazyPattern(
    r"\bonce\b|\bsignal\b|beforeunload|unhandledrejection|SIG[A-Z]|uncaughtException|\bexit\b"
)
_WATCHERS = ("watch", "watchEffect", "watchPostEffect")
_VUE_ENDS = LazyPattern(r"\b(?:on(?:Before)?Unmount(?:ed)?|onScopeDispose|onDeactivated|tryOn\w+)\s*\(")
_GIVING = (
    ("variable_declarator", "name", "value"),
    ("assignment_expression", "left", "right"),
    ("function_declaration", "name", "body"),
)
"""Declarations that bind a function to a name: the node type, its fields for name and function."""
_CLOSING = ("close", "terminate", "destroy", "removeAllListeners")


class MissingCleanup(TreeCheck):
    """A resource is missing from the cleanup that closes the others.

    The class, the effect or the function has a cleanup that removes its other listeners and timers. This one
    stays, calls back into an object that no longer exists, and each new start adds another.
    """

    ID = "TS038"
    NAME = "missing-cleanup"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "missing-effect-cleanup"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("addEventListener(", "addListener(", "setInterval(", "Observer(", ".on(")
    ALSO = (
        (
            "return ",
            "=> ",
            "nmount",
            "estroy",
            "ispose",
            "disconnect",
            "stop",
            "close",
            "teardown",
            "detach",
            "watch",
        ),
    )
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            export function connect(use) {
              const socket = new WebSocket(ADDRESS);
              socket.addEventListener('message', (event) => use(event.data));
              return () => socket.close();
            }
        """),
        code("""
            function setup(onKey) {
              window.addEventListener('keydown', onKey);
              const seen = new ResizeObserver(measure);
              seen.observe(box);
              return () => {
                window.removeEventListener('keydown', onKey);
                seen.disconnect();
              };
            }
        """),
    ]
    INVALID = [
        code(
            """
            useEffect(() => {
              const onKey = () => close();
              const onSize = () => fit();
              window.addEventListener('keydown', onKey);
              «window.addEventListener('resize', onSize)»;
              return () => window.removeEventListener('keydown', onKey);
            }, []);
            """,
            path="a.tsx",
        ),
        code(
            """
            class Board {
              constructor() {
                document.addEventListener('keyup', this.onKey);
                «window.addEventListener('resize', this.onSize)»;
              }
              destroy() {
                document.removeEventListener('keyup', this.onKey);
              }
            }
            """,
            path="a.js",
        ),
    ]

    def check(self) -> None:
        for node in (*self._listeners(), *self._observers()):
            self.report_node(node, "cleanup does not close this, so it stays active; close it there")

    def _listeners(self) -> Iterator[Node]:
        code = self.code
        for called, call in code.calls:
            found = _LASTING.search(called)
            if found is None or _SELF_ENDING.search(code.field(call, "arguments")):
                continue
            scope = self._ended_scope(call)
            owner = called.rpartition(".")[0]
            if scope is not None and not self._is_closed(owner, scope) and not self._is_removed(call, scope):
                yield call

    def _is_closed(self, owner: str, scope: Node) -> bool:
        """Return True if the emitter closes itself: a closed socket calls no listener."""
        text = self.code.text(scope)
        return any(f"{owner}.{end}(" in text for end in _CLOSING)

    def _observers(self) -> Iterator[Node]:
        """Yield the observers on which only ``observe`` is ever called."""
        for declarator in self.code.kinds("variable_declarator"):
            if not _OBSERVER.search(self.code.field(declarator, "value")):
                continue
            started = self._only_started(declarator, self.code.field(declarator, "name"))
            if not started:
                continue
            if self._ended_scope(declarator) is not None or self._is_watched(declarator):
                yield started[0].parent or started[0]

    def _only_started(self, declarator: Node, name: str) -> list[Node]:
        """Return the uses of an observer; empty if one of them is not ``observe``."""
        if not name.isidentifier():
            return []
        behind = declarator.start_byte + len(name)
        uses = [node for node in self.code.uses(declarator, name) if node.start_byte > behind]
        parents = [use.parent for use in uses if use.parent is not None]
        return parents if all(self.code.field(one, "property") == "observe" for one in parents) else []

    def _is_watched(self, node: Node) -> bool:
        """Return True if the resource is opened on each change that a Vue watcher follows."""
        from wardround.languages.script.code import function_around

        function = function_around(node)
        given = function.parent if function is not None else None
        call = given.parent if given is not None and given.type == "arguments" else None
        return call is not None and self.code.called(call) in _WATCHERS

    def _ended_scope(self, node: Node) -> Node | None:
        """Return the innermost class, function or component with a cleanup of its own."""
        from wardround.languages.script.code import function_around

        function = function_around(node)
        while function is not None:
            if function.type == "method_definition" or function.parent is None:
                return self._ended_class(function)
            if function.parent.type == "public_field_definition":
                return self._ended_class(function.parent)
            if self._hands_out_end(function):
                return function
            if self._is_hook_of_vue(function):
                return self.code.module.root if self.code.says(_VUE_ENDS) else None
            function = function_around(function)
        if self.source.path.endswith(".vue") and self.code.says(_VUE_ENDS):
            return self.code.module.root
        return None

    def _ended_class(self, method: Node) -> Node | None:
        body = method.parent
        if body is None or body.type != "class_body":
            return None
        for one in body.named_children:
            if self.code.field(one, "name") in _END_METHODS and _ENDS.search(self.code.text(one)):
                return body
        return None

    def _is_hook_of_vue(self, function: Node) -> bool:
        given = function.parent
        call = given.parent if given is not None and given.type == "arguments" else None
        return call is not None and self.code.called(call) in ("onMounted", "onBeforeMount", "onActivated")

    def _hands_out_end(self, function: Node) -> bool:
        """Return True if a function returns a function that removes something."""
        from wardround.languages.script.code import FUNCTIONS, returned

        code = self.code
        for one in returned(function):
            if one.type in FUNCTIONS and _ENDS.search(code.text(one)):
                return True
            if one.type == "identifier" and self._is_end(code.text(one), function):
                return True
        return False

    def _is_end(self, name: str, function: Node) -> bool:
        """Return True if a name in a function refers to a function that removes something."""
        from wardround.languages.script.code import within

        return any(
            node.start_byte != function.start_byte
            and _ENDS.search(self.code.text(self._functions_of[node.id]))
            for node in within(self._function_names.get(name, ()), function)
        )

    @cached_property
    def _function_names(self) -> Mapping[str, Sequence[Node]]:
        """Map a name to the declarations and assignments that bind it to a function, in source order."""
        found: dict[str, list[Node]] = {}
        for kind, left, _ in _GIVING:
            for node in self.code.kinds(kind):
                if node.id in self._functions_of:
                    found.setdefault(self.code.field(node, left), []).append(node)
        return {name: sorted(nodes, key=lambda one: one.start_byte) for name, nodes in found.items()}

    @cached_property
    def _functions_of(self) -> Mapping[int, Node]:
        """Map the id of a binding node to the function, or to its body."""
        from wardround.languages.script.code import FUNCTIONS

        given = [
            (n, n.child_by_field_name(right)) for kind, _, right in _GIVING for n in self.code.kinds(kind)
        ]
        kinds = (*FUNCTIONS, "statement_block")
        return {node.id: value for node, value in given if value is not None and value.type in kinds}

    def _is_removed(self, call: Node, scope: Node) -> bool:
        """Return True if code in the scope can remove a listener because it holds the same function."""
        from wardround.languages.script.code import FUNCTIONS, argument, within

        code = self.code
        handler = argument(call, 1)
        if handler is None:
            return True
        if handler.type in FUNCTIONS:
            return self._is_stored(call) or self._removes_by_name(call, scope)
        if handler.type not in ("identifier", "member_expression"):
            return True
        name = code.text(handler)
        if handler.type == "member_expression" and not name.startswith("this."):
            return True
        elsewhere = [node for node in within(code.reads(handler.type, name), scope) if not _adds(node)]
        is_member = handler.type == "member_expression"
        return len(elsewhere) > (0 if is_member else self._declared_in(name, scope))

    def _declared_in(self, name: str, scope: Node) -> int:
        """Count the uses of a name in a scope besides its declaration; others remove a parameter."""
        from wardround.languages.script.code import within

        if name not in self._declared:
            declared = self.code.declared.get(name, ())
            self._declared[name] = sorted(declared, key=lambda one: one.start_byte)
        found = within(self._declared[name], scope)
        is_plain = all(one.type in ("variable_declarator", "function_declaration") for one in found)
        return len(found) if is_plain else -1

    @cached_property
    def _declared(self) -> dict[str, Sequence[Node]]:
        """Map a name to its declarations, in source order, for the names requested so far."""
        return {}

    def _removes_by_name(self, call: Node, scope: Node) -> bool:
        """Return True for the removal of the event with another new function, which another rule reports."""
        from wardround.languages.script.code import argument, within

        event = self.code.text(argument(call, 0))
        return bool(within(self._removals.get(event, ()), scope))

    @cached_property
    def _removals(self) -> Mapping[str, Sequence[Node]]:
        """Map the text of an event to the calls that remove a listener of it."""
        from wardround.languages.script.code import argument

        found: dict[str, list[Node]] = {}
        for called, call in self.code.calls:
            if ".removeEventListener" in called:
                found.setdefault(self.code.text(argument(call, 0)), []).append(call)
        return found

    def _is_stored(self, call: Node) -> bool:
        """Return True if the result of adding is stored; some libraries remove the listener with it."""
        return call.parent is not None and call.parent.type != "expression_statement"


def _adds(node: Node) -> bool:
    """Return True if a name is only passed to calls that add a listener."""
    given = node.parent
    call = given.parent if given is not None and given.type == "arguments" else None
    function = call.child_by_field_name("function") if call is not None else None
    last = function.child_by_field_name("property") if function is not None else None
    return last is not None and last.text in (b"addEventListener", b"addListener", b"on")
