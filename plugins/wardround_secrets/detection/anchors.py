"""Anchors: short words that are searched for before any pattern is tried."""

from __future__ import annotations

from collections.abc import Iterator


def offsets_of(lower: bytes, word: bytes) -> Iterator[int]:
    """Yield the offset of each occurrence of a word; both arguments in lower case."""
    offset = lower.find(word)
    while offset >= 0:
        yield offset
        offset = lower.find(word, offset + len(word))
