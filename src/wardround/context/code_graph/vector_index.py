"""The search for symbols of a tree by meaning, with the vectors of an encoder.

Vectors are computed for symbols that have none yet, within a time limit; those that are stored remain, so
that an interrupted or limited update continues where it ended.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import msgspec

from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import Symbol, SymbolKind
from wardround.context.code_graph.store import file_key
from wardround.context.code_graph.symbol_text import symbol_text
from wardround.context.code_graph.tree_files import SourceTree
from wardround.context.code_graph.vector_store import StoredEmbedder, StoredSymbol, VectorStore, text_key
from wardround.retrieval.file_search import is_beside
from wardround.retrieval.index import IndexedFile
from wardround.retrieval.protocols import TextEmbedder
from wardround.retrieval.test_discovery import holds_tests
from wardround.storage import sqlite_file
from wardround.storage.digest import digest_key

if TYPE_CHECKING:
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

_KINDS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.COMPONENT, SymbolKind.CLASS,
                    SymbolKind.TABLE, SymbolKind.VIEW})  # fmt: skip
_LEAST_LINES = 3
"""Shorter symbols have too few words to be compared."""
_BATCH = 16
"""Texts embedded between two tests of the time."""
_KEY_BYTES = 16


class VectorUpdate(msgspec.Struct, frozen=True):
    """The result of an update.

    Attributes:
        symbols: with a vector, of the tree.
        embedded: those of them whose vector was computed.
        missing: the number of files that the time did not suffice for.
    """

    symbols: int
    embedded: int
    missing: int


class Match(NamedTuple):
    """A symbol of the tree, by its path and number, and its similarity to a query, -1 to 1."""

    path: str
    number: int
    similarity: float


class VectorIndex:
    """The vectors of the symbols in the tree of the last ``update``. Use it as a context manager."""

    def __init__(self, store: VectorStore, embedder: TextEmbedder) -> None:
        self._store = store
        self._embedder = StoredEmbedder(store, embedder)
        self._symbols: list[tuple[str, StoredSymbol]] = []
        self._matrix: NDArray[np.float32] | None = None

    @classmethod
    def open(cls, git_dir: Path, embedder: TextEmbedder, folder: Path | None = None) -> Self:
        """Open or create the vectors of a repository; by default in the user's cache folder."""
        return cls(VectorStore.open(git_dir, folder), embedder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.close()

    def update(self, graph: CodeGraph, tree: SourceTree, limit_s: float) -> VectorUpdate:
        """Embed the symbols of a tree that have no vector yet; later queries are about this tree.

        Args:
            graph: of the same tree.
            limit_s: seconds after which the rest is left to the next update.

        Raises:
            ModelError: the embedder fails.
        """
        entries = [entry for entry in tree.entries if is_embedded(entry.path)]
        deadline = time.monotonic() + limit_s
        try:
            return self._updated(graph, tree, entries, deadline)
        except sqlite3.DatabaseError as trouble:
            self._replace(trouble)
            return self._updated(graph, tree, entries, deadline)

    def _updated(
        self, graph: CodeGraph, tree: SourceTree, entries: Sequence[IndexedFile], deadline: float
    ) -> VectorUpdate:
        keys = {entry: digest_key(self._embedder.digest, file_key(entry))[:_KEY_BYTES] for entry in entries}
        known, stored = self._store.files(), self._store.keys()
        before, missing = len(stored), 0
        for entry, key in keys.items():
            if key not in known:
                added = self._embedded(graph, tree, entry, stored, deadline)
                if added is None:
                    missing += 1
                else:
                    self._store.add_file(key, added)
                    known[key] = added
        self._symbols = [(entry.path, one) for entry, key in keys.items() for one in known.get(key, ())]
        self._matrix = None
        return VectorUpdate(len(self._symbols), len(stored) - before, missing)

    def _embedded(
        self, graph: CodeGraph, tree: SourceTree, entry: IndexedFile, stored: set[bytes], deadline: float
    ) -> tuple[StoredSymbol, ...] | None:
        """Embed the symbols of a file; None if the time does not suffice for it."""
        if time.monotonic() >= deadline:
            return None
        lines = tree.read(entry).decode("utf-8", "replace").split("\n")
        texts = {
            number: symbol_text(one, lines)
            for number, one in enumerate(graph.facts(entry.path).symbols)
            if is_embedded_symbol(one)
        }
        keys = {number: text_key(self._embedder.digest, text) for number, text in texts.items()}
        missing = {keys[number]: text for number, text in texts.items() if keys[number] not in stored}
        for batch in _batches(missing.items()):
            if time.monotonic() >= deadline:
                return None
            self._embedder.embed([text for _, text in batch])
            stored.update(key for key, _ in batch)
        return tuple(StoredSymbol(number, key) for number, key in sorted(keys.items()))

    def nearest(self, texts: Sequence[str], limit: int) -> list[list[Match]]:
        """Return for each text the symbols that are nearest in meaning, the nearest first.

        Args:
            texts: as ``symbol_text`` returns them.

        Raises:
            ModelError: the embedder fails.
        """
        if not texts or not len(self._vectors()):
            return [[] for _ in texts]
        products = self._vectors() @ self._embedder.embed(texts).T
        return [self._first(products[:, at], limit) for at in range(len(texts))]

    def _first(self, products: NDArray[np.float32], limit: int) -> list[Match]:
        import numpy as np

        first = np.argpartition(-products, min(limit, len(products)) - 1)[:limit]
        found = [
            Match(self._symbols[at][0], self._symbols[at][1].number, round(float(products[at]), 4))
            for at in first.tolist()
        ]
        return sorted(found, key=lambda one: (-one.similarity, one.path, one.number))

    def _vectors(self) -> NDArray[np.float32]:
        """Return the vectors of the tree, read once; none if they turn out to be damaged."""
        if self._matrix is None:
            try:
                self._matrix = self._store.matrix([one.key for _, one in self._symbols])
            except sqlite3.DatabaseError as trouble:
                self._replace(trouble)
                self._symbols = []
                self._matrix = self._store.matrix([])
        return self._matrix

    def _replace(self, trouble: sqlite3.DatabaseError) -> None:
        self._store = self._store.replaced(keep_file=not sqlite_file.is_damaged(trouble))
        self._embedder = StoredEmbedder(self._store, self._embedder.embedder)


def is_embedded(path: str) -> bool:
    """Return True for a file whose symbols have vectors: source code that is not a test or an example."""
    return not holds_tests(path) and not is_beside(path)


def is_embedded_symbol(symbol: Symbol) -> bool:
    """Return True for a function, a class, a component or an SQL object of several lines."""
    return symbol.kind in _KINDS and symbol.end_line - symbol.line + 1 >= _LEAST_LINES


def _batches(items: Iterable[tuple[bytes, str]]) -> Iterator[list[tuple[bytes, str]]]:
    rest = iter(items)
    while batch := list(islice(rest, _BATCH)):
        yield batch
