"""Operators and their families: each declares its name and the kinds of nodes at which it applies."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from wardround.authoring.repair.operators.site import Edit, Site

Proposal = Callable[[Site], Iterator[Edit]]


@dataclass(frozen=True, slots=True)
class Operator:
    """A kind of edit.

    Attributes:
        name: as candidates and weights have it, such as ``negate-condition``.
        kinds: the classes of nodes at which it applies.
        propose: the edits at a site, the most probable first.
    """

    name: str
    kinds: tuple[type[ast.AST], ...]
    propose: Proposal


@dataclass(slots=True)
class OperatorFamily:
    """The operators of one module, in source order."""

    operators: list[Operator] = field(default_factory=list)

    def at(self, *kinds: type[ast.AST]) -> Callable[[Proposal], Proposal]:
        """Register a function as the operator of its name at these kinds of nodes."""

        def register(propose: Proposal) -> Proposal:
            self.operators.append(Operator(propose.__name__.replace("_", "-"), kinds, propose))
            return propose

        return register
