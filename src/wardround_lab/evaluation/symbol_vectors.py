"""The search of all symbols of a tree by meaning, to measure it against the search by words.

A query is compared with all vectors. Vectors are stored as they are computed, so that an interrupted
measurement continues where it ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
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

    def __init__(
        self, graph: CodeGraph, tree: SourceTree, embedder: TextEmbedder, *, with_tests: bool = False
    ) -> None:
        """Embed the symbols of a tree, which is that of the graph.

        Args:
            with_tests: embed the code of tests as well.

        Raises:
            ModelError: the embedder fails.
        """
        texts: list[str] = []
        self.symbols: list[Symbol] = []
        for entry in tree.entries:
            found = [symbol for symbol in graph.facts(entry.path).symbols if _is_embedded(symbol, with_tests)]
            if found:
                lines = tree.read(entry).decode("utf-8", "replace").split("\n")
                texts += (symbol_text(symbol, lines) for symbol in found)
                self.symbols += found
        self._embedder = embedder
        self.vectors = _embed_texts(texts, embedder)

    def without_tests(self) -> SymbolVectors:
        """Return the same without the code of tests and other accompanying files."""
        found = copy(self)
        source = [at for at, symbol in enumerate(self.symbols) if _is_embedded(symbol, False)]
        found.symbols = [self.symbols[at] for at in source]
        found.vectors = self.vectors[source]
        return found

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


def _is_embedded(symbol: Symbol, with_tests: bool) -> bool:
    kinds = _KINDS | {SymbolKind.TEST} if with_tests else _KINDS
    is_long = symbol.end_line - symbol.line + 1 >= _LEAST_LINES
    return is_long and symbol.kind in kinds and (with_tests or _is_source(symbol))


def _is_source(symbol: Symbol) -> bool:
    return not contains_tests(symbol.path) and not is_accompanying_file(symbol.path)


def _embed_texts(texts: Sequence[str], embedder: TextEmbedder) -> NDArray[np.float32]:
    import numpy as np

    starts = range(0, max(len(texts), 1), _BATCH)
    return np.concatenate([embedder.embed(texts[at : at + _BATCH]) for at in starts])
