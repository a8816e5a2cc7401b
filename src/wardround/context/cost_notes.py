"""Notes about the cost of a change: for policies and readers, never a finding by themselves."""

from __future__ import annotations

import msgspec


class GrowthNote(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A function on a hot path that the change makes more complex.

    Attributes:
        line: first line of the function at the head; ``end_line`` is its last.
        kind: ``loops``, the nesting of loops, or ``decisions``, the cyclomatic complexity.
        base, head: the measure before and after the change.
        callers: the number of other functions that call it.
        path: the evidence that it runs often: ``request``, ``loop`` or ``callers``.
    """

    file: str
    line: int
    end_line: int
    name: str
    kind: str
    base: int
    head: int
    callers: int
    path: str


class WeightNote(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """Something large that the change adds.

    Attributes:
        kind: ``large-file``, or ``whole-import``: a library imported completely instead of a part of it.
        size: in bytes; 0 if it is not known.
    """

    file: str
    line: int
    kind: str
    name: str
    size: int = 0


class CostNotes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All notes about the cost of one change."""

    growth: tuple[GrowthNote, ...] = ()
    weights: tuple[WeightNote, ...] = ()
