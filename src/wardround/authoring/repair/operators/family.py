"""Operators and their families: each declares its name and where it applies."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from wardround.authoring.repair.operators.applicability import anywhere
from wardround.authoring.repair.operators.site import Edit, Site

Proposal = Callable[[Site], Iterator[Edit]]
Applicability = Callable[[Site], bool]


@dataclass(frozen=True, slots=True)
class Operator:
    """A kind of edit.

    Attributes:
        name: as candidates and weights have it, such as ``negate-condition``.
        kinds: the classes of nodes at which it applies.
        where: True for the nodes of these classes at which it applies.
        propose: the edits at a site, the most probable first.
    """

    name: str
    kinds: tuple[type[ast.AST], ...]
    where: Applicability
    propose: Proposal

    def edits(self, site: Site) -> Iterator[Edit]:
        """Return the edits at a site, none where the operator does not apply."""
        return self.propose(site) if isinstance(site.node, self.kinds) and self.where(site) else iter(())


@dataclass(slots=True)
class OperatorFamily:
    """The operators of one module, in source order."""

    operators: list[Operator] = field(default_factory=list)

    def at(self, *kinds: type[ast.AST], where: Applicability = anywhere) -> Callable[[Proposal], Proposal]:
        """Register a function as the operator of its name at these kinds of nodes."""

        def register(propose: Proposal) -> Proposal:
            name = propose.__name__.replace("_", "-")
            self.operators.append(Operator(name, kinds, where, propose))
            return propose

        return register
