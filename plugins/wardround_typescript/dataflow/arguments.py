"""Call sites, and the arguments they bind to parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from wardround_typescript.dataflow.domain import Taint


@dataclass(frozen=True, slots=True)
class Argument:
    """The value of an argument, and those of its fields where it is an object literal."""

    value: Taint
    fields: Mapping[str, Taint] | None = None
    is_spread: bool = False


class CallSite(NamedTuple):
    """A call whose arguments are evaluated.

    Attributes:
        name: the callee as imported, ``fs.readFile``; see ``ModuleScope.dotted``.
        receiver: the object whose method is called; None for a function.
        method: the name of the method; empty for a function.
        last_name: the name of the method or function without its receiver.
        received: the value of the receiver.
        values: the values of the arguments.
    """

    node: Node
    callee: Node
    name: str
    receiver: Node | None
    method: str
    last_name: str
    received: Taint
    arguments: Sequence[Node]
    values: Sequence[Taint]


def arguments_of(given: Node) -> list[Node]:
    """Return the expressions in the argument list of a call."""
    return [argument for argument in given.named_children if argument.type != "comment"]


def has_spread(node: Node) -> bool:
    """Return True if an object literal spreads another object."""
    return any(entry.type == "spread_element" for entry in node.named_children)


def is_entry_list(text: str) -> bool:
    """Return True if an expression, by its source, is a list of pairs of keys and values."""
    return text.startswith("Object.entries(") and not text.rstrip(")").endswith(".map(")
