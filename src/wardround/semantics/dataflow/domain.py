"""The taint domain: an expression's taint maps each source to the kinds of sink that it can still harm.

A plugin declares its kinds of sink as an ``IntFlag``; the operations here work on any of them. A taint is a
value: no operation mutates its argument, and an argument may be returned unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntFlag
from typing import Generic, TypeVar

Kind = TypeVar("Kind", bound=IntFlag)
Node = TypeVar("Node")
Taint = Mapping[str, Kind]
"""Origin -> the kinds of sink that data of this origin can harm.

An origin is the label of a source, or a parameter of the analysed function (a name after ``PARAMETER``),
which a caller binds.
"""

REQUEST = "request"
ARCHIVE = "archive"
PARAMETER = "parameter:"


@dataclass(frozen=True, slots=True)
class SinkHit(Generic[Kind, Node]):
    """Tainted data reaches a sink.

    Attributes:
        kind: the kind of sink.
        node: the expression that reaches it.
        path: the module of the node.
    """

    kind: Kind
    node: Node
    origin: str
    path: str


def join(*taints: Taint[Kind]) -> Taint[Kind]:
    """Return the least upper bound: the taint of a value that is one of several, or built from all of
    them.
    """
    tainted = [taint for taint in taints if taint]
    if len(tainted) < 2:
        return tainted[0] if tainted else {}
    joined = dict(tainted[0])
    for taint in tainted[1:]:
        for origin, kinds in taint.items():
            joined[origin] = joined[origin] | kinds if origin in joined else kinds
    return joined


def join_all(taints: Iterable[Taint[Kind]]) -> Taint[Kind]:
    """Return the least upper bound of any number of taints."""
    return join(*taints)


def without(taint: Taint[Kind], kinds: Kind) -> Taint[Kind]:
    """Return the taint after a sanitizer for some kinds of sink."""
    if not taint:
        return taint
    return only(taint, ~kinds)


def only(taint: Taint[Kind], kinds: Kind) -> Taint[Kind]:
    """Return the taint restricted to some kinds of sink."""
    if not taint:
        return taint
    return {origin: retained for origin, left in taint.items() if (retained := left & kinds)}


def extend(taint: Taint[Kind], kinds: Kind, where: Kind) -> Taint[Kind]:
    """Return the taint with ``kinds`` for each origin that can harm ``where``."""
    return {origin: left | kinds if left & where else left for origin, left in taint.items()}
