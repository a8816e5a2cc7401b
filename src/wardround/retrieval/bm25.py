"""BM25: how well the words of a document match those of a query.

Source: S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

K1 = 1.2
B = 0.75


def idf(documents: int, holding: int) -> float:
    """Return the weight of a word that occurs in ``holding`` of the documents; above 0."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def term_weight(times: int, length: int, average: float) -> float:
    """Return the weight of a word that occurs ``times`` in a document of ``length`` words; below K1 + 1."""
    return times * (K1 + 1) / (times + K1 * (1 - B + B * length / average))


def scores(
    query: Mapping[str, int], documents: Sequence[Mapping[str, int]], lengths: Sequence[int] | None = None
) -> list[float]:
    """Return the score of each document, 0 if it shares no word with the query.

    Args:
        query: the words of the query, with their counts.
        documents: the words of each document, with their counts.
        lengths: lengths of the documents in words, if the documents contain only words of the query.
    """
    if lengths is None:
        lengths = [sum(document.values()) for document in documents]
    average = max(sum(lengths) / max(len(lengths), 1), 1.0)
    answers = [0.0] * len(documents)
    for word, requested in query.items():
        holding = [(at, document[word]) for at, document in enumerate(documents) if word in document]
        weight = requested * idf(len(documents), len(holding))
        for at, times in holding:
            answers[at] += weight * term_weight(times, lengths[at], average)
    return answers
