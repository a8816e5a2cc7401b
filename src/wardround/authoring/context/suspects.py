"""The functions that failing tests point at."""

from __future__ import annotations

from collections.abc import Sequence

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
    """Return the segments of suspicious lines, the most suspicious first, before all scores of words."""
    found: dict[Segment, str] = {}
    for suspect in suspects:
        for segment in segments(suspect.pointer.path, tree.text(suspect.pointer.path) or ""):
            if _has_common_lines(segment, suspect.pointer):
                found.setdefault(segment, suspect.reason)
    scored = enumerate(found.items())
    return [RankedSegment(segment, float(-at), (reason,)) for at, (segment, reason) in scored]


def _has_common_lines(segment: Segment, pointer: CodePointer) -> bool:
    return segment.first_line <= pointer.last_line and pointer.first_line <= segment.last_line
