"""Kind, fields and relatives of a node that may be missing: the parser omits what it could not parse."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from tree_sitter import Node


def is_kind(node: Node | None, *kinds: str) -> TypeGuard[Node]:
    """Return True for a node of one of some kinds; False without a node."""
    return node is not None and node.type in kinds


def has_kind(node: Node | None, kinds: Container[str]) -> TypeGuard[Node]:
    """Return True for a node whose kind is in a set; False without a node."""
    return node is not None and node.type in kinds


def child(node: Node | None, field: str) -> Node | None:
    """Return the node in a field; None without a node."""
    return node.child_by_field_name(field) if node is not None else None


def parts(node: Node | None) -> list[Node]:
    """Return the named children of a node, comments included; none without a node."""
    return node.named_children if node is not None else []


def first_part(node: Node | None) -> Node | None:
    """Return the first named child of a node."""
    return next(iter(parts(node)), None)


def last_part(node: Node | None) -> Node | None:
    """Return the last named child of a node."""
    return next(reversed(parts(node)), None)


def parent(node: Node | None) -> Node | None:
    """Return the node around a node; None without a node."""
    return node.parent if node is not None else None


def ancestors(node: Node | None) -> Iterator[Node]:
    """Yield the nodes around a node, the innermost first."""
    around = parent(node)
    while around is not None:
        yield around
        around = around.parent


def nearest(node: Node | None, kinds: Container[str]) -> Node | None:
    """Return the innermost node of some kinds around a node."""
    return next((around for around in ancestors(node) if around.type in kinds), None)


def arguments(call: Node | None) -> list[Node]:
    """Return the arguments of a call, comments included; none of a tagged template."""
    passed = child(call, "arguments")
    return passed.named_children if is_kind(passed, "arguments") else []


def call_with(argument: Node) -> Node | None:
    """Return the call that a node is an argument of, or the ``new`` expression."""
    return parent(argument.parent) if is_kind(argument.parent, "arguments") else None


def siblings_after(node: Node) -> Iterator[Node]:
    """Yield the named nodes behind a node in its parent."""
    following = node.next_named_sibling
    while following is not None:
        yield following
        following = following.next_named_sibling
