"""Words and parts of words of a text as numbers: the input of a linear model over words.

The number of a feature is a digest of its string, so no vocabulary is stored with a model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from zlib import crc32

from wardround.lazy import LazyPattern

BUCKETS = 1 << 16
_WORD = LazyPattern(r"[a-z0-9_+#]{1,40}")
_LONGEST_PART = 5
_SHORTEST_PART = 3


def hashed_words(text: str) -> tuple[list[int], list[float]]:
    """Return the features of a text: ascending numbers below ``BUCKETS``, and how often each occurs.

    A feature is a word, two consecutive words, the first word, or three to five letters of a word with
    boundary marks. A text without words has the feature 0.
    """
    counts = Counter(crc32(feature.encode()) % BUCKETS for feature in _features(text))
    numbers = sorted(counts) or [0]
    return numbers, [float(counts[number] or 1) for number in numbers]


def _features(text: str) -> Iterator[str]:
    words = _WORD.findall(text.lower())
    yield from words
    yield from (f"{word} {following}" for word, following in pairwise(words))
    yield from (f"^{word}" for word in words[:1])
    for word in words:
        marked = f"<{word}>"
        for size in range(_SHORTEST_PART, _LONGEST_PART + 1):
            yield from (f"*{marked[start : start + size]}" for start in range(len(marked) - size + 1))
