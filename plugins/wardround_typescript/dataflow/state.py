"""The abstract state at one point of a function: labels of access paths, aliases, request objects, types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tree_sitter import Node

from wardround.languages.script.syntax import inside
from wardround.semantics.dataflow.domain import join, without
from wardround.semantics.dataflow.state import joined_taints
from wardround_typescript.dataflow import sources
from wardround_typescript.dataflow.domain import CLEAN, Sanitized, SinkKind, Taint
from wardround_typescript.dataflow.frames import Frame, SinkRecorder
from wardround_typescript.dataflow.nodes import bare, property_name
from wardround_typescript.dataflow.operands import operand_of
from wardround_typescript.dataflow.scope import ModuleScope

EXTENT = "#"
"""The property of a list or a map under which the state stores how much of its contents is known."""
KEYS_KNOWN = "map"
"""The extent of a map whose keys are all known; that of a list is the number of its elements."""
_MAX_PATHS = 20
_REQUEST_NAMES = frozenset({"request", "req", "_req"})
_REQUEST_OWNERS = frozenset({"c", "this", "this.ctx", "event", "context.switchToHttp()"})
_CONTEXT_REQUESTS = (["request"], ["req"])
_COMPOSED = frozenset({"binary_expression", "template_string"})


class FlowState:
    """The state of the function under analysis, or of the statements of its module.

    Attributes:
        function: the function; None for the statements of the module.
        values: access path -> the value it holds.
        request_kinds: name -> the kind of request object it holds, see ``sources.request_kind``.
        types: name -> its declared type.
        derived_from: access path -> the tainted access paths its value was computed from.
        is_validated: True inside a handler whose input a schema validates.
        returned: the value that the function returns.
        returned_fields: the fields of its result; empty if they are not all known, None before the first
            return.
        jumps: the values at the ``break`` and ``continue`` statements of the innermost loop or ``switch``.
        loop_depth: how many loops the statement is nested in.
        depth: how many expressions the expression is nested in.
    """

    __slots__ = (
        "_recorder",
        "depth",
        "derived_from",
        "function",
        "is_validated",
        "jumps",
        "loop_depth",
        "module",
        "request_kinds",
        "returned",
        "returned_fields",
        "scope",
        "types",
        "values",
    )

    def __init__(self, scope: ModuleScope, recorder: SinkRecorder) -> None:
        self.scope = scope
        self.module = scope.module
        self._recorder = recorder
        self._clear()

    def _clear(self) -> None:
        self.values: dict[str, Taint] = {}
        self.request_kinds: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self.derived_from: dict[str, frozenset[str]] = {}
        self.is_validated = False
        self._begin(None)

    def _begin(self, function: Node | None) -> None:
        self.function = function
        self.returned: Taint = CLEAN
        self.returned_fields: Mapping[str, Taint] | None = None
        self.jumps: list[dict[str, Taint]] = []
        self.loop_depth = 0
        self.depth = 0

    # Functions.

    def enter(self, function: Node) -> Frame:
        """Begin a nested function, which captures all variables; return the frame of the enclosing one."""
        enclosing = self._frame()
        self.values = dict(enclosing.values)
        self.request_kinds = dict(enclosing.request_kinds)
        self.types = dict(enclosing.types)
        self.derived_from = dict(enclosing.derived_from)
        self._begin(function)
        return enclosing

    def enter_module(self) -> Frame:
        """Begin with an empty state; return the frame to restore."""
        frame = self._frame()
        self._clear()
        return frame

    def leave(self, frame: Frame) -> Frame:
        """End a function and restore another frame; return that of the function."""
        left = self._frame()
        (
            self.function,
            self.values,
            self.request_kinds,
            self.types,
            self.derived_from,
            self.is_validated,
            self.returned,
            self.returned_fields,
            self.jumps,
            self.loop_depth,
            self.depth,
        ) = frame
        return left

    def _frame(self) -> Frame:
        return Frame(
            self.function,
            self.values,
            self.request_kinds,
            self.types,
            self.derived_from,
            self.is_validated,
            self.returned,
            self.returned_fields,
            self.jumps,
            self.loop_depth,
            self.depth,
        )

    def absorb(self, values: Mapping[str, Taint], own_names: frozenset[str]) -> None:
        """Join with the values that a nested function leaves in captured variables: it may have run."""
        for path, value in values.items():
            if path.partition(".")[0] in own_names:
                continue
            if path not in self.values:
                self._absorb_new(path, value)
            elif value is not self.values[path]:
                self.values[path] = join(self.values[path], value)

    def _absorb_new(self, path: str, value: Taint) -> None:
        """Add an entry of a map whose keys are known."""
        owner, sign, _ = path.partition(".=")
        if sign and f"{owner}.{EXTENT}" in self.values:
            self.values[path] = value

    # Access paths.

    def access_path(self, node: Node) -> str | None:
        """Return the access path of a name, of a property, or of a constant subscript of these."""
        node = bare(node)
        match node.type:
            case "identifier" | "this" | "shorthand_property_identifier":
                return self.module.of(node)
            case "member_expression" | "subscript_expression":
                owner = node.child_by_field_name("object")
                stem = self.access_path(owner) if owner is not None else None
                name = self.property_name(node)
                return f"{stem}.{name}" if stem and name else None
        return None

    def property_name(self, node: Node) -> str | None:
        """Return the name of the property that ``a.b`` or ``a["b"]`` reads."""
        return property_name(self.module, node)

    def tainted_paths(self, node: Node) -> frozenset[str]:
        """Return the tainted access paths that an expression reads."""
        found = set()
        for part in inside(node):
            path = self._tainted_path(part)
            if path is not None:
                found.add(path)
        return frozenset(found)

    def _tainted_path(self, node: Node) -> str | None:
        match node.type:
            case "identifier" | "shorthand_property_identifier":
                name = self.module.of(node)
                return name if self.values.get(name) else None
            case "member_expression":
                path = self.access_path(node)
                if path is None:
                    return None
                return path if self.values.get(path) or self.is_request_read(node) else None
        return None

    def refinable_paths(self, node: Node) -> Iterable[str]:
        """The access paths that a test of an expression refines: its own, and those from which it was
        computed.
        """
        operand = operand_of(self.module, node)
        if operand is None:
            return ()
        path = self.access_path(operand)
        if path is None:
            return self.tainted_paths(operand) if operand.type in _COMPOSED else ()
        derived = self._derivation(path)
        return [known for known in derived if known not in self.request_kinds and known != "this"]

    def _derivation(self, path: str) -> list[str]:
        """Return a path and those from which its value was computed."""
        found = [path]
        for known in found:
            found += sorted(self.derived_from.get(known, frozenset()).difference(found))
            if len(found) > _MAX_PATHS:
                break
        return found

    # Request objects.

    def request_kind(self, node: Node) -> str:
        """The kind of request object an expression is: see ``sources.request_kind``; empty if it is none."""
        node = bare(node)
        if node.type == "identifier":
            return self.request_kinds.get(self.module.of(node), "")
        if node.type != "member_expression":
            return ""
        name, owner = self.property_name(node), node.child_by_field_name("object")
        if name not in _REQUEST_NAMES or owner is None:
            return ""
        stem = self.module.of(owner)
        if self.request_kind(owner) == "context" or stem in _REQUEST_OWNERS:
            return "request"
        return "request" if stem in {"ctx", "context"} and self.types.get(stem, "") != "trpc" else ""

    def is_request_read(self, node: Node) -> bool:
        """Return True if a property is read from a part of the request: ``req.query.name``."""
        owner = node.child_by_field_name("object")
        while owner is not None and bare(owner).type == "member_expression":
            owner = bare(owner).child_by_field_name("object")
        return owner is not None and bool(self.request_kind(owner))

    # Values.

    def lookup(self, path: str) -> Taint:
        """Return the value of an access path, or else of the closest prefix that has one."""
        while True:
            if path in self.values:
                return self.values[path]
            if "." not in path:
                return CLEAN
            path = path.rpartition(".")[0]

    def refine(self, sanitized: Sanitized) -> None:
        """Remove labels from access paths and from the known paths below them."""
        if not sanitized:
            return
        properties = [path for path in self.values if "." in path and path[-1] != EXTENT]
        for path, removed in sanitized.items():
            below = [known for known in properties if known.startswith(path + ".")]
            for refined in (path, *below):
                self.values[refined] = without(self._value_before(refined), removed)

    def _value_before(self, path: str) -> Taint:
        if path in self.values:
            return self.values[path]
        part = self._request_member(path.split("."))
        return part if part is not None else self.lookup(path)

    def _request_member(self, names: list[str]) -> Taint | None:
        """Return the value of a part of the request; None for other paths."""
        kind = self.request_kinds.get(names[0], "")
        if kind == "context" and names[1:2] in _CONTEXT_REQUESTS:
            kind, names = "request", names[1:]
        return sources.part(kind, names[1]) if kind and len(names) > 1 else None

    def forget_contents(self, path: str, value: Taint = CLEAN) -> None:
        """Join the contents of a list, a map or an object with its value, after an unknown change."""
        if f"{path}.{EXTENT}" in self.values:
            self.values[f"{path}.{EXTENT}"] = CLEAN
        text = join(self.values.get(path, CLEAN), value)
        for known, content in self.values.items():
            if known.startswith(path + ".") and not known.endswith(EXTENT):
                self.values[known] = join(content, text)

    def join(self, branches: Sequence[dict[str, Taint]]) -> None:
        """Continue with the join of the values at the ends of the branches; without any, leave the values."""
        if branches:
            self.values = branches[0]
            for other in branches[1:]:
                self.values = joined_taints(self.values, other)

    def reach(self, kind: SinkKind, node: Node, value: Taint) -> None:
        """Record a tainted value that reaches a sink."""
        if value:
            self._recorder.reach(kind, self.module.path, node, value)

    def add_return(self, value: Taint) -> None:
        """Join the returned value with another one."""
        self.returned = join(self.returned, value)
