"""Refinements: the labels that the outcome of a condition removes from access paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wardround_typescript.dataflow.domain import EVERYTHING, NOTHING, SinkKind

Refinement = Mapping[str, SinkKind]
"""Access path -> the labels that its value no longer has."""
Refinements = tuple[Refinement, Refinement]
"""Where a condition is true, and where it is false."""
UNREFINED: Refinements = ({}, {})


def any_of(refinements: Sequence[Refinement]) -> Refinement:
    """The refinement by conditions that all hold."""
    union: dict[str, SinkKind] = {}
    for refinement in refinements:
        for path, removed in refinement.items():
            union[path] = union.get(path, NOTHING) | removed
    return union


def common_to(refinements: Sequence[Refinement]) -> Refinement:
    """The refinement by conditions one of which holds."""
    first, *others = refinements
    return {
        path: removed & _least(path, others)
        for path, removed in first.items()
        if removed & _least(path, others)
    }


def _least(path: str, refinements: Sequence[Refinement]) -> SinkKind:
    least = EVERYTHING
    for refinement in refinements:
        least &= refinement.get(path, NOTHING)
    return least
