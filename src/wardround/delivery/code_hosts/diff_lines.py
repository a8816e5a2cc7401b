"""The lines on which a code host accepts comments: those of the hunks of a file's patch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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


def lines_of_patch(patch: str) -> frozenset[int]:
    """Return the lines of the new file in a patch, with those around a change; none if it has no text."""
    return frozenset(patch_lines(patch))


def patch_lines(patch: str) -> Mapping[int, PatchLine]:
    """Return number -> line of the new file in a patch; none if it has no text."""
    if not patch:
        return {}
    try:
        (file,) = PatchSet(_HEADER + patch.removesuffix("\n") + "\n")
    except (UnidiffParseError, ValueError):
        return {}
    return {number: line for hunk in file for number, line in _lines_of_hunk(hunk)}


def _lines_of_hunk(hunk: Hunk) -> Iterator[tuple[int, PatchLine]]:
    old = hunk.source_start
    for line in hunk:
        if line.target_line_no:
            yield line.target_line_no, PatchLine(old, line.is_added)
        old += not line.is_added
