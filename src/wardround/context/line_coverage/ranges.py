"""Ranges of adjacent lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def adjacent(lines: Iterable[int]) -> Sequence[tuple[int, int]]:
    """Return the ranges of adjacent lines, each with its first and its last line."""
    found: list[tuple[int, int]] = []
    for line in sorted(set(lines)):
        if found and found[-1][1] == line - 1:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return found
