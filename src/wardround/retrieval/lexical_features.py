"""The overlap of words and code: the cheap evidence about a choice, which any model has to beat."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import msgspec

from wardround.text.search_terms import counted, parts

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
        return counted(self.text)

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

    A word counts more the fewer candidates of the group contain it. The margins compare with the best other
    one.
    """
    asked = _Text(query)
    texts = [_Text(candidate) for candidate in candidates]
    held = Counter(word for text in texts for word in text.words)
    weight = {word: math.log(1 + len(texts) / (0.5 + held[word])) for word in asked.words}
    covered = [_covered(asked, text, weight) for text in texts]
    grams = [_cosine(asked.trigrams, text.trigrams) for text in texts]
    lengths = [len(text.parts) for text in texts]
    return [
        [
            covered[at],
            covered[at] - _best_other(covered, at),
            _rarest(text, weight),
            math.log1p(sum(1 for word in weight if word in text.words)),
            _jaccard(asked, text),
            _numbers(asked, text),
            grams[at],
            grams[at] - _best_other(grams, at),
            _longest_run(asked.parts, text.parts) / max(1, len(asked.parts)),
            _in_order(asked.parts, text.parts) / max(1, len(asked.parts)),
            math.log1p(lengths[at]),
            sum(1 for other in lengths if other < lengths[at]) / max(1, len(lengths) - 1),
        ]
        for at, text in enumerate(texts)
    ]


def _best_other(values: Sequence[float], at: int) -> float:
    return max((value for place, value in enumerate(values) if place != at), default=0.0)


def _covered(asked: _Text, text: _Text, weight: dict[str, float]) -> float:
    whole = sum(weight.values())
    return sum(w for word, w in weight.items() if word in text.words) / whole if whole else 0.0


def _rarest(text: _Text, weight: dict[str, float]) -> float:
    most = max(weight.values(), default=0.0)
    found = max((w for word, w in weight.items() if word in text.words), default=0.0)
    return found / most if most else 0.0


def _jaccard(asked: _Text, text: _Text) -> float:
    either = len(asked.words.keys() | text.words.keys())
    return len(asked.words.keys() & text.words.keys()) / either if either else 0.0


def _numbers(asked: _Text, text: _Text) -> float:
    if not asked.numbers:
        return _NO_NUMBERS
    return len(asked.numbers & text.numbers) / len(asked.numbers)


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    product = sum(count * other[gram] for gram, count in one.items() if gram in other)
    sizes = math.sqrt(sum(c * c for c in one.values()) * sum(c * c for c in other.values()))
    return product / sizes if sizes else 0.0


def _longest_run(wanted: Sequence[str], within: Sequence[str]) -> int:
    """Return the length of the longest run of parts of the query in the candidate."""
    before = [0] * (len(wanted) + 1)
    longest = 0
    for part in within:
        now = [0] * (len(wanted) + 1)
        for at, want in enumerate(wanted, 1):
            if want == part:
                now[at] = before[at - 1] + 1
                longest = max(longest, now[at])
        before = now
    return longest


def _in_order(wanted: Sequence[str], within: Sequence[str]) -> int:
    """Return the number of parts of the query that occur in its order in the candidate."""
    at = found = 0
    for want in wanted:
        try:
            at = within.index(want, at) + 1
        except ValueError:
            continue
        found += 1
    return found
