"""What is known at one point of a walk: which names carry what, and which are requests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from wardround.languages.script.syntax import inside
from wardround_typescript.dataflow import sources
from wardround_typescript.dataflow.domain import (
    CLEAN,
    EVERYTHING,
    KEYS,
    NOTHING,
    PARAMETER,
    SinkKind,
    Value,
    united,
    without,
)
from wardround_typescript.dataflow.scope import FUNCTIONS, bare

if TYPE_CHECKING:
    from wardround_typescript.dataflow.module_analysis import ModuleFlow

Clears = Mapping[str, SinkKind]
NONE: tuple[Clears, Clears] = ({}, {})
_MOST_NAMES = 20
AMOUNT = "#"
"""Under this a list or a map says how much of it is known: see ``contents``."""


class State(ABC):
    """One walk through one function, or through the statements of a module."""

    def __init__(self, owner: ModuleFlow, function: Node | None, around: State | None = None) -> None:
        self.owner = owner
        self.scope = owner.scope
        self.module = owner.scope.module
        self.function = function
        self.values: dict[str, Value] = dict(around.values) if around else {}
        self.kinds: dict[str, str] = dict(around.kinds) if around else {}
        self.types: dict[str, str] = dict(around.types) if around else {}
        self.made_of: dict[str, frozenset[str]] = dict(around.made_of) if around else {}
        self.is_typed: bool = around.is_typed if around else False
        self.returned: Value = CLEAN
        self.shape: Mapping[str, Value] | None = None
        self.has_pairs = False
        self.depth = 0
        self.loops = 0
        self.jumped: list[dict[str, Value]] = []

    @abstractmethod
    def value(self, node: Node) -> Value:
        """What an expression carries; calls in it that reach a sink are noted on the way."""

    @abstractmethod
    def call(self, node: Node) -> Value:
        """What a call gives; the places it reaches are noted."""

    @abstractmethod
    def clears(self, test: Node) -> tuple[Clears, Clears]:
        """What is known to be harmless where a test is true, and where it is false."""

    @abstractmethod
    def run_function(
        self, node: Node, given: Sequence[Value] | None = None, has_pairs: bool = False
    ) -> Value:
        """Walk a function written here, with what its parameters are given; what it returns.

        ``has_pairs`` says that the first parameter is a key with its value.
        """

    def gives_pairs(self, node: Node) -> bool:
        """Whether an expression is a list of keys with their values."""
        text = self.module.of(bare(node))
        return text.startswith("Object.entries(") and not text.rstrip(")").endswith(".map(")

    # Names.

    def key_of(self, node: Node) -> str | None:
        """What a place for a value is called: a name, properties of one, a constant subscript of these."""
        node = bare(node)
        if node.type in {"identifier", "this", "shorthand_property_identifier"}:
            return self.module.of(node)
        if node.type in {"member_expression", "subscript_expression"}:
            owner = node.child_by_field_name("object")
            stem = self.key_of(owner) if owner is not None else None
            name = self.property_of(node)
            return f"{stem}.{name}" if stem and name else None
        return None

    def property_of(self, node: Node) -> str | None:
        """The name of a property, of ``a.b`` and of ``a["b"]``."""
        if node.type == "member_expression":
            name = node.child_by_field_name("property")
            return self.module.of(name) if name is not None else None
        index = node.child_by_field_name("index")
        if index is not None and index.type in {"string", "number"}:
            return self.module.of(index).strip("'\"")
        return None

    def kind_of(self, node: Node) -> str:
        """What part of a request an expression is, if it is one: see ``sources.request_kind``."""
        node = bare(node)
        if node.type == "identifier":
            return self.kinds.get(self.module.of(node), "")
        if node.type != "member_expression":
            return ""
        name, owner = self.property_of(node), node.child_by_field_name("object")
        if name not in {"request", "req", "_req"} or owner is None:
            return ""
        stem = self.module.of(owner)
        if self.kind_of(owner) == "context" or stem in {
            "c",
            "this",
            "this.ctx",
            "event",
            "context.switchToHttp()",
        }:
            return "request"
        return "request" if stem in {"ctx", "context"} and self.types.get(stem, "") != "trpc" else ""

    def names_in(self, node: Node) -> frozenset[str]:
        """The tainted names an expression is made of."""
        found = set()
        for one in inside(node):
            if one.type in {"identifier", "shorthand_property_identifier"}:
                name = self.module.of(one)
                if self.values.get(name):
                    found.add(name)
            elif one.type == "member_expression":
                key = self.key_of(one)
                if key is not None and (self.values.get(key) or self.is_sent(one)):
                    found.add(key)
        return frozenset(found)

    def is_sent(self, node: Node) -> bool:
        """Whether a property is read off a part of the request: ``req.query.name``."""
        owner = node.child_by_field_name("object")
        while owner is not None and bare(owner).type == "member_expression":
            owner = bare(owner).child_by_field_name("object")
        return owner is not None and bool(self.kind_of(owner))

    def keys(self, node: Node) -> Iterable[str]:
        """The names by which the value of an expression is known, and those it was made of."""
        node = bare(node)
        while node.type == "call_expression":
            inner = self._behind_call(node)
            if inner is None:
                return ()
            node = bare(inner)
        if node.type == "assignment_expression":
            left = node.child_by_field_name("left")
            node = left if left is not None else node
        key = self.key_of(node)
        if key is None:
            return self.names_in(node) if node.type in {"binary_expression", "template_string"} else ()
        found = [key]
        for one in found:
            found += sorted(self.made_of.get(one, frozenset()).difference(found))
            if len(found) > _MOST_NAMES:
                break
        return [one for one in found if one not in self.kinds and one != "this"]

    def _behind_call(self, node: Node) -> Node | None:
        """What ``x.trim()`` or ``String(x)`` is about."""
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or given is None:
            return None
        if function.type == "member_expression":
            name = self.property_of(function)
            is_kept = name in {
                "trim",
                "toString",
                "toLowerCase",
                "toUpperCase",
                "slice",
                "normalize",
                "join",
                "get",
            }
            owner = function.child_by_field_name("object")
            if (
                name in {"resolve", "normalize"}
                and self.module.of(function).startswith("path.")
                and given.named_children
            ):
                return given.named_children[-1]
            return owner if is_kept else None
        if (
            self.module.of(function) in {"String", "decodeURIComponent", "encodeURIComponent"}
            and given.named_children
        ):
            return given.named_children[0]
        return None

    def known(self, key: str) -> Value:
        """What a name carries: its own, or that of what it is a part of."""
        while True:
            if key in self.values:
                return self.values[key]
            if "." not in key:
                return CLEAN
            key = key.rpartition(".")[0]

    def clear(self, cleared: Clears) -> None:
        """Take what a test told from the names it told it of."""
        if not cleared:
            return
        parts = [key for key in self.values if "." in key]
        for key, gone in cleared.items():
            for one in (key, *(part for part in parts if part.startswith(key + ".") and part[-1] != AMOUNT)):
                self.values[one] = without(self._before(one), gone)

    def _before(self, key: str) -> Value:
        if key in self.values:
            return self.values[key]
        names = key.split(".")
        kind = self.kinds.get(names[0], "")
        if kind == "context" and names[1:2] in (["request"], ["req"]):
            kind, names = "request", names[1:]
        if kind and len(names) > 1:
            found = sources.part(kind, names[1])
            if found is not None:
                return found
        return self.known(key)

    def reach(self, danger: SinkKind, node: Node, value: Value) -> None:
        """Note that a value gets to a place of harm."""
        if value:
            self.owner.program.reach(danger, self.module.path, node, value)

    def merge(self, left: Sequence[dict[str, Value]]) -> None:
        """Go on with what any of the ways that lead here may have left."""
        if left:
            self.values = left[0]
            for other in left[1:]:
                self.values = merged(self.values, other)


def merged(first: Mapping[str, Value], second: Mapping[str, Value]) -> dict[str, Value]:
    """What each name carries after one of two ways was taken."""
    both = dict(first)
    for key, value in second.items():
        both[key] = value if key not in first else united(first[key], value)
    return both


def keys_of(value: Value) -> Value:
    """What the keys of an object carry: its sender's text only where the sender chose them."""
    return {
        origin + KEYS if origin.startswith(PARAMETER) and not origin.endswith(KEYS) else origin: left
        for origin, left in value.items()
        if left & SinkKind.FIELDS
    }


def either(found: Sequence[Clears]) -> Clears:
    """All that any of the tests told."""
    told: dict[str, SinkKind] = {}
    for one in found:
        for key, gone in one.items():
            told[key] = told.get(key, NOTHING) | gone
    return told


def common(found: Sequence[Clears]) -> Clears:
    """What each of the tests told."""
    first, *rest = found
    return {key: gone & _least(key, rest) for key, gone in first.items() if gone & _least(key, rest)}


def _least(key: str, others: Sequence[Clears]) -> SinkKind:
    least = EVERYTHING
    for one in others:
        least &= one.get(key, NOTHING)
    return least


def is_function(node: Node) -> bool:
    return node.type in FUNCTIONS
