"""Detect equal and near-duplicate texts in time linear in their length."""

from __future__ import annotations

import re
from collections import defaultdict
from zlib import crc32

_TOKEN = re.compile(r"\w+|[^\w\s]")
_SHINGLE = 5
"""Number of tokens of a shingle."""
_SKETCH = 6
"""Number of smallest shingle hashes by which candidates are found: texts that share 0.8 of their shingles
nearly always share one.
"""
_MET_AT_MOST = 30
"""Maximum number of compared texts with the same hash; otherwise boilerplate would match everything."""
_LIKE = 0.8
_LONG_ENOUGH = 12
"""Minimum number of shingles for a meaningful similarity; shorter texts are only compared for equality."""


class NearIndex:
    """Find a text that shares at least 0.8 of its shingles (Jaccard) with a new one.

    Source: Broder 1997, "On the resemblance and containment of documents"; the smallest hashes of one
    function replace many permutations, and candidates are then compared exactly.
    """

    def __init__(self) -> None:
        self._shingles: list[frozenset[int]] = []
        self._places: list[str] = []
        self._by_hash: defaultdict[int, list[int]] = defaultdict(list)
        self._exact: dict[str, str] = {}

    def add(self, text: str, place: str) -> None:
        """Add a text to the index."""
        self._exact.setdefault(_squeeze(text), place)
        shingles = _shingles(text)
        if len(shingles) >= _LONG_ENOUGH:
            number = len(self._shingles)
            self._shingles.append(shingles)
            self._places.append(place)
            for shingle in _sketch(shingles):
                if len(self._by_hash[shingle]) < _MET_AT_MOST:
                    self._by_hash[shingle].append(number)

    def like(self, text: str) -> str | None:
        """Return the position of an equal or near-duplicate text in the index."""
        if (location := self._exact.get(_squeeze(text))) is not None:
            return location
        shingles = _shingles(text)
        if len(shingles) < _LONG_ENOUGH:
            return None
        met = dict.fromkeys(
            number for shingle in _sketch(shingles) for number in self._by_hash.get(shingle, ())
        )
        return next((self._places[n] for n in met if _jaccard(shingles, self._shingles[n]) >= _LIKE), None)


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _shingles(text: str) -> frozenset[int]:
    tokens = _TOKEN.findall(text)
    last = len(tokens) - _SHINGLE
    return frozenset(crc32(" ".join(tokens[at : at + _SHINGLE]).encode()) for at in range(last + 1))


def _sketch(shingles: frozenset[int]) -> list[int]:
    """Return the smallest hashes, multiplied first, since crc32 values of similar texts are similar."""
    return sorted((shingle * 0x9E3779B1) & 0xFFFFFFFF for shingle in shingles)[:_SKETCH]


def _jaccard(item: frozenset[int], other: frozenset[int]) -> float:
    both = len(item & other)
    return both / (len(item) + len(other) - both)
