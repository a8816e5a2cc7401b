"""The overlap of words and code: the cheap evidence about a choice, which any model has to beat."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import msgspec

from wardround.text.search_terms import count_words, parts

OVERLAP_NAMES = (
    "covered", "covered-margin", "rarest-shared", "shared", "jaccard", "numbers", "trigrams",
    "trigrams-margin", "longest-run", "order", "log-length", "length-rank",
)  # fmt: skip
_NO_NUMBERS = 0.5
"""The value for a query without numbers: neither for nor against."""


class _Text(msgspec.Struct, frozen=True, dict=True):
    text: str

    @cached_property
    def words(self) -> Counter[str]:
        return count_words(self.text)

    @cached_property
    def parts(self) -> list[str]:
        return parts(self.text)

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(part for part in self.parts if part.isdigit())

    @cached_property
    def trigrams(self) -> Counter[str]:
        run = " ".join(self.parts)
        return Counter(run[start : start + 3] for start in range(len(run) - 2))


def lexical_features(query: str, candidates: Sequence[str]) -> list[list[float]]:
    """Return the evidence for each candidate, in the order of ``OVERLAP_NAMES``; shares are 0 to 1.

    A word has more weight the fewer candidates of the group contain it. The margins compare with the best
    other one.
    """
    requested = _Text(query)
    texts = [_Text(candidate) for candidate in candidates]
    weight = _weights(requested, texts)
    covered = [_covered_share(requested, text, weight) for text in texts]
    grams = [_cosine(requested.trigrams, text.trigrams) for text in texts]
    lengths = [len(text.parts) for text in texts]
    query_length = max(1, len(requested.parts))
    return [
        [
            covered[at],
            covered[at] - _best_other(covered, at),
            _rarest(text, weight),
            math.log1p(len(weight.keys() & text.words)),
            _jaccard(requested, text),
            _numbers(requested, text),
            grams[at],
            grams[at] - _best_other(grams, at),
            _longest_run(requested.parts, text.parts) / query_length,
            _ordered_count(requested.parts, text.parts) / query_length,
            math.log1p(lengths[at]),
            sum(other < lengths[at] for other in lengths) / max(1, len(lengths) - 1),
        ]
        for at, text in enumerate(texts)
    ]


def _weights(asked: _Text, texts: Sequence[_Text]) -> dict[str, float]:
    """Return the weight of each word of the query: the fewer texts contain it, the more it counts."""
    holders = Counter(word for text in texts for word in text.words)
    return {word: math.log(1 + len(texts) / (0.5 + holders[word])) for word in asked.words}


def _best_other(values: Sequence[float], at: int) -> float:
    return max((value for location, value in enumerate(values) if location != at), default=0.0)


def _covered_share(requested: _Text, text: _Text, weight: dict[str, float]) -> float:
    complete = sum(weight.values())
    return sum(w for word, w in weight.items() if word in text.words) / complete if complete else 0.0


def _rarest(text: _Text, weight: dict[str, float]) -> float:
    most = max(weight.values(), default=0.0)
    found = max((w for word, w in weight.items() if word in text.words), default=0.0)
    return found / most if most else 0.0


def _jaccard(requested: _Text, text: _Text) -> float:
    either = len(requested.words.keys() | text.words.keys())
    return len(requested.words.keys() & text.words.keys()) / either if either else 0.0


def _numbers(requested: _Text, text: _Text) -> float:
    if not requested.numbers:
        return _NO_NUMBERS
    return len(requested.numbers & text.numbers) / len(requested.numbers)


def _cosine(counter: Counter[str], other: Counter[str]) -> float:
    product = sum(count * other[gram] for gram, count in counter.items() if gram in other)
    sizes = math.sqrt(sum(c * c for c in counter.values()) * sum(c * c for c in other.values()))
    return product / sizes if sizes else 0.0


def _longest_run(expected: Sequence[str], within: Sequence[str]) -> int:
    """Return the length of the longest run of parts of the query in the candidate."""
    before = [0] * (len(expected) + 1)
    longest = 0
    for part in within:
        current = [0] * (len(expected) + 1)
        for at, want in enumerate(expected, 1):
            if want == part:
                current[at] = before[at - 1] + 1
                longest = max(longest, current[at])
        before = current
    return longest


def _ordered_count(expected: Sequence[str], within: Sequence[str]) -> int:
    """Return the number of parts of the query that occur in its order in the candidate."""
    at = found = 0
    for want in expected:
        try:
            at = within.index(want, at) + 1
        except ValueError:
            continue
        found += 1
    return found
