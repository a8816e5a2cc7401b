"""The lines on which GitHub accepts comments: those of the hunks of a file's patch."""

from __future__ import annotations

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

_HEADER = "--- a/file\n+++ b/file\n"
"""GitHub leaves the header of a patch out."""


def lines_of_patch(patch: str) -> frozenset[int]:
    """Return the lines of the new file in a patch, with those around a change; none if it has no text."""
    if not patch:
        return frozenset()
    try:
        (file,) = PatchSet(f"{_HEADER}{patch}\n")
    except (UnidiffParseError, ValueError):
        return frozenset()
    return frozenset(line.target_line_no for hunk in file for line in hunk if line.target_line_no)
