"""Existing functions that may have the purpose of an added one, by the vectors of an encoder.

The candidates are the functions that share the most rare words with the added one, so that the result does
not depend on how many vectors are stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wardround.context.code_graph.extraction import language_of
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import CALLABLE, Symbol
from wardround.context.code_graph.repetitions import Body, RepetitionSearch, repetition_of
from wardround.context.code_graph.symbol_text import symbol_text
from wardround.context.repetition import Repetition, RepetitionKind
from wardround.retrieval.protocols import TextEmbedder
from wardround.text.search_terms import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST_SIMILAR = 0.8
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
    """Yield for each added function the existing one that is nearest in meaning, if it is near enough.

    Args:
        added: functions that repeat no other by their syntax, the largest first.
        graph: of the base of the change.

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
    named = graph.symbols_with_words(counted(text), _MOST_CANDIDATES)
    known = [one for one in named if _is_comparable(body.symbol, one)]
    vectors = embedder.embed([text, *(symbol_text(one, search.base_lines(one.path)) for one in known)])
    found = [
        repetition_of(body.symbol, one, RepetitionKind.MEANING, _cosine(vectors, at))
        for at, one in enumerate(known, 1)
    ]
    usable = [one for one in found if search.is_usable(body, one)]
    return min(usable, key=lambda one: (-one.similarity, one), default=None)


def _cosine(vectors: NDArray[np.float32], at: int) -> float:
    return round(float(vectors[0] @ vectors[at]), 4)


def _is_comparable(symbol: Symbol, other: Symbol) -> bool:
    is_callable = other.kind in CALLABLE and language_of(symbol.path) == language_of(other.path)
    return is_callable and _LEAST_SHARE * symbol.size <= other.size <= _MOST_TIMES * symbol.size
