"""The lines of a changed file that came and went, without aligning its two versions."""

from __future__ import annotations

from collections import Counter

from wardround.checks import ChangedText


def added_lines(file: ChangedText) -> list[tuple[int, str]]:
    """Number and text of the lines the change brought."""
    lines = (file.text or "").split("\n")
    return [(number, line) for number, line in enumerate(lines, 1) if file.is_added(number)]


def removed_lines(file: ChangedText) -> list[str]:
    """The lines that stood in the file and no longer do, moved ones not counted, in their old order."""
    left = Counter((file.text or "").split("\n"))
    removed = []
    for line in (file.base_text or "").split("\n"):
        if left[line] > 0:
            left[line] -= 1
        else:
            removed.append(line)
    return removed


def line_after_removal(file: ChangedText) -> int:
    """The line at the head (1-based) where the first line is gone that stood in the base."""
    head = (file.text or "").split("\n")
    base = (file.base_text or "").split("\n")
    same = next((n for n, (new, old) in enumerate(zip(head, base, strict=False)) if new != old), None)
    return min(len(head), (len(head) if same is None else same + 1))
