"""Character 3- to 5-grams of words, weighted by TF-IDF: they match words that are only similar."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

_WORD = re.compile(r"\w+")
_SIZES = (3, 4, 5)


def scores(query: str, texts: Sequence[str]) -> list[float]:
    """Return the cosine of the query with each text, from 0 to 1; rarity is relative to the texts."""
    counts = [_count_ngrams(text) for text in texts]
    holding = Counter(gram for count in counts for gram in count)
    rarity = {gram: math.log((1 + len(texts)) / (1 + n)) + 1 for gram, n in holding.items()}
    requested = _weigh(_count_ngrams(query), rarity)
    size = _norm(requested.values())
    return [_cosine(requested, size, _weigh(count, rarity)) for count in counts]


def _cosine(requested: dict[str, float], size: float, other: dict[str, float]) -> float:
    norms = size * _norm(other.values())
    if norms == 0:
        return 0.0
    return sum(weight * other[gram] for gram, weight in requested.items() if gram in other) / norms


def _norm(weights: Iterable[float]) -> float:
    return math.sqrt(sum(weight * weight for weight in weights))


def _weigh(count: Counter[str], rarity: dict[str, float]) -> dict[str, float]:
    return {gram: (1 + math.log(n)) * rarity[gram] for gram, n in count.items() if gram in rarity}


def _count_ngrams(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for word, times in Counter(_WORD.findall(text.lower())).items():
        for gram in _grams(word):
            found[gram] += times
    return found


@lru_cache(maxsize=1 << 15)
def _grams(word: str) -> tuple[str, ...]:
    padded = f" {word[:64]} "
    return tuple(padded[at : at + n] for n in _SIZES for at in range(len(padded) - n + 1)) or (padded,)
