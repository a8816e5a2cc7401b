"""Existing functions that may have the purpose of an added one, by the vectors of an encoder.

The candidates are the functions that share the most rare words with the added one, so that the result does
not depend on how many vectors are stored.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from wardround.context.code_graph.extraction import language_of
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import CALLABLE, Symbol
from wardround.context.code_graph.repetitions import Body, RepetitionSearch, repetition_of
from wardround.context.code_graph.symbol_text import symbol_text
from wardround.context.repetition import Repetition, RepetitionKind
from wardround.inference.similarity import cosine
from wardround.retrieval.protocols import TextEmbedder
from wardround.text.search_terms import count_words

LEAST_SIMILAR = 0.75
_MOST_ADDED = 20
"""Functions of a change that are compared, and candidates for each: about four seconds without a store."""
_MOST_CANDIDATES = 25
_LEAST_SHARE, _MOST_TIMES = 0.5, 2.0
"""The size of an existing function against that of the added one: others have another purpose."""


def meanings(
    added: Sequence[Body],
    search: RepetitionSearch,
    graph: CodeGraph,
    embedder: TextEmbedder,
    least: float = LEAST_SIMILAR,
) -> Iterator[Repetition]:
    """Yield for each added function the most similar existing one by embedding, if it is similar enough.

    Args:
        added: functions that repeat no other by their syntax, the largest first.
        graph: code graph at the base of the change.

    Raises:
        ModelError: the embedder fails.
    """
    for body in added[:_MOST_ADDED]:
        if not search.is_convention(body.symbol):
            found = _nearest(body, search, graph, embedder)
            if found is not None and found.similarity >= least:
                yield found


def _nearest(
    body: Body, search: RepetitionSearch, graph: CodeGraph, embedder: TextEmbedder
) -> Repetition | None:
    text = symbol_text(body.symbol, search.added_lines(body.symbol.path))
    named = graph.symbols_with_words(count_words(text), _MOST_CANDIDATES)
    known = [symbol for symbol in named if is_comparable(body.symbol, symbol)]
    texts = [text, *(symbol_text(symbol, search.base_lines(symbol.path)) for symbol in known)]
    own, *others = embedder.embed(texts).tolist()
    found = [
        repetition_of(body.symbol, symbol, RepetitionKind.MEANING, _similarity(own, other))
        for symbol, other in zip(known, others, strict=True)
    ]
    usable = [repetition for repetition in found if search.is_usable(body, repetition)]
    return min(usable, key=lambda repetition: (-repetition.similarity, repetition), default=None)


def _similarity(sequence: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine of two vectors, whose lengths are 1 but for rounding."""
    return min(cosine(array("f", sequence), array("f", other)), 1.0)


def is_comparable(symbol: Symbol, other: Symbol) -> bool:
    """Return True if two symbols are functions of one language and of about one size."""
    is_callable = other.kind in CALLABLE and language_of(symbol.path) == language_of(other.path)
    return is_callable and _LEAST_SHARE * symbol.size <= other.size <= _MOST_TIMES * symbol.size
