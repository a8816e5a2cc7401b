"""The span in which two texts differ."""

from __future__ import annotations

import msgspec


class EditSpan(msgspec.Struct, frozen=True):
    """The smallest single edit that makes one text of another.

    Attributes:
        start, end: offsets in the old text, in code points.
    """

    start: int
    end: int
    replacement: str

    @property
    def size(self) -> int:
        """The number of removed and added characters."""
        return self.end - self.start + len(self.replacement)


def edit_span(before: str, after: str) -> EditSpan:
    """Return the edit that makes ``after`` of ``before``."""
    start = _common_length(before, after)
    left = min(len(before), len(after)) - start
    end = min(left, _common_length(before[::-1], after[::-1]))
    return EditSpan(start, len(before) - end, after[start : len(after) - end])


def _common_length(text: str, other: str) -> int:
    shorter = min(len(text), len(other))
    return next((at for at in range(shorter) if text[at] != other[at]), shorter)
