"""Text of stores as a page shows it: no control characters, and not longer than a browser can take."""

from __future__ import annotations

from wardround.text.escaping import lines_for_log

_LONGEST = 6000


def shown_text(text: str, longest: int = _LONGEST) -> str:
    """Return text with its lines, its control characters escaped, and the number of characters left out."""
    left = len(text) - longest
    end = f"\n... {left:,} more characters" if left > 0 else ""
    return lines_for_log(text[:longest], {}) + end
