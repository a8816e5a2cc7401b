"""The lines on which a code host accepts comments: those of the hunks of a file's patch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk, PatchSet

_HEADER = "--- a/file\n+++ b/file\n"
"""Code hosts leave the header of a patch out."""


class PatchLine(msgspec.Struct, frozen=True):
    """A line of the new file.

    Attributes:
        old: the same line in the old file; for one that was added, the line that would follow there.
    """

    old: int
    is_added: bool


def hunks_of_patch(patch: str) -> tuple[range, ...]:
    """Return the lines of the new file in each hunk, with those around a change; none if it has no text."""
    shown = (range(hunk.target_start, hunk.target_start + hunk.target_length) for hunk in _hunks(patch))
    return tuple(lines for lines in shown if lines)


def patch_lines(patch: str) -> Mapping[int, PatchLine]:
    """Return number -> line of the new file in a patch; none if it has no text."""
    return {number: line for hunk in _hunks(patch) for number, line in _lines_of_hunk(hunk)}


def _hunks(patch: str) -> Sequence[Hunk]:
    if not patch:
        return ()
    try:
        (file,) = PatchSet(_HEADER + patch.removesuffix("\n") + "\n")
    except (UnidiffParseError, ValueError):
        return ()
    return tuple(file)


def _lines_of_hunk(hunk: Hunk) -> Iterator[tuple[int, PatchLine]]:
    old = hunk.source_start
    for line in hunk:
        if line.target_line_no:
            yield line.target_line_no, PatchLine(old, line.is_added)
        old += not line.is_added
