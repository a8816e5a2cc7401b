"""The search of all symbols of a tree by meaning, to measure it against the search by words.

A query is compared with all vectors. Vectors are stored as they are computed, so that an interrupted
measurement continues where it ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import Symbol, SymbolKind
from wardround.context.code_graph.symbol_text import symbol_text
from wardround.context.code_graph.tree_files import SourceTree
from wardround.retrieval.file_search import is_accompanying_file
from wardround.retrieval.protocols import TextEmbedder
from wardround.retrieval.test_discovery import contains_tests

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_KINDS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.COMPONENT, SymbolKind.CLASS,
                    SymbolKind.TABLE, SymbolKind.VIEW})  # fmt: skip
_LEAST_LINES = 3
"""Shorter symbols have too few words to be compared."""
_BATCH = 64
"""Texts embedded at once, which an interrupted run loses."""


class Match(NamedTuple):
    """A symbol of the tree, and its similarity to a query, -1 to 1."""

    symbol: Symbol
    similarity: float


class SymbolVectors:
    """The vectors of the symbols of one tree: functions, classes, components and SQL objects, not tests.

    Attributes:
        symbols: by path and line.
        vectors: shape (symbols, dimensions).
    """

    def __init__(self, graph: CodeGraph, tree: SourceTree, embedder: TextEmbedder) -> None:
        """Embed the symbols of a tree, which is that of the graph.

        Raises:
            ModelError: the embedder fails.
        """
        texts: list[str] = []
        self.symbols: list[Symbol] = []
        for entry in tree.entries:
            found = [symbol for symbol in graph.facts(entry.path).symbols if _is_embedded(symbol)]
            if found:
                lines = tree.read(entry).decode("utf-8", "replace").split("\n")
                texts += (symbol_text(symbol, lines) for symbol in found)
                self.symbols += found
        self._embedder = embedder
        self.vectors = _embed_texts(texts, embedder)

    def nearest(self, texts: Sequence[str], limit: int) -> list[list[Match]]:
        """Return for each text the symbols that are nearest in meaning, the nearest first.

        Args:
            texts: as ``symbol_text`` returns them.
        """
        if not texts or not self.symbols:
            return [[] for _ in texts]
        products = self.vectors @ self._embedder.embed(texts).T
        return [self._first(products[:, at], limit) for at in range(len(texts))]

    def _first(self, products: NDArray[np.float32], limit: int) -> list[Match]:
        import numpy as np

        first = np.argpartition(-products, min(limit, len(products)) - 1)[:limit]
        found = [Match(self.symbols[at], round(float(products[at]), 4)) for at in first.tolist()]
        return sorted(found, key=lambda match: (-match.similarity, match.symbol))


def _is_embedded(symbol: Symbol) -> bool:
    is_source = not contains_tests(symbol.path) and not is_accompanying_file(symbol.path)
    return is_source and symbol.kind in _KINDS and symbol.end_line - symbol.line + 1 >= _LEAST_LINES


def _embed_texts(texts: Sequence[str], embedder: TextEmbedder) -> NDArray[np.float32]:
    import numpy as np

    starts = range(0, max(len(texts), 1), _BATCH)
    return np.concatenate([embedder.embed(texts[at : at + _BATCH]) for at in starts])
