"""The functions that failing tests point at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.code_ranking import RankedSegment
from wardround.authoring.context.segments import Segment, segments
from wardround.authoring.stages import CodePointer


class Suspect(msgspec.Struct, frozen=True):
    """Lines that a failing test ran, and why they are suspicious."""

    pointer: CodePointer
    reason: str


def suspicious_segments(tree: BaseTree, suspects: Sequence[Suspect]) -> list[RankedSegment]:
    """Return the segments of suspicious lines, the most suspicious first."""
    found: dict[Segment, RankedSegment] = {}
    for suspect in suspects:
        for segment in _segments_of(tree, suspect.pointer):
            found.setdefault(segment, RankedSegment(segment, 0.0, (suspect.reason,)))
    return list(found.values())


def _segments_of(tree: BaseTree, pointer: CodePointer) -> Iterator[Segment]:
    for segment in segments(pointer.path, tree.text(pointer.path) or ""):
        if segment.first_line <= pointer.last_line and pointer.first_line <= segment.last_line:
            yield segment
