"""The similarity of files and segments to a task by the vectors of an encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from wardround.authoring.context.base_tree import BaseTree
from wardround.context.code_graph.vector_store import StoredEmbedder, VectorStore
from wardround.retrieval.documents import leading, query_variants
from wardround.retrieval.index import SearchIndex
from wardround.retrieval.protocols import TextEmbedder

MOST_EMBEDDED = 400
"""Files of a tree whose vectors are compared: those that are best by words; about 20 s of CPU time, once."""
_MOST_PARTS = 3
"""Parts of a segment that are compared, each as long as the window of an encoder."""


class Encoder(msgspec.Struct, frozen=True, eq=False):
    """An encoder in the rankings of files and segments.

    Attributes:
        name: for records.
        is_alone: the order is by its vectors alone, without words, names, paths and history.
    """

    name: str
    embedder: TextEmbedder
    is_alone: bool


class CodeVectors:
    """The similarities of the code of one commit, with the stored vectors of its repository.

    Attributes:
        is_alone: see ``Encoder``.

    Args:
        store: the vectors of segments.
    """

    def __init__(
        self,
        encoder: Encoder,
        store: VectorStore,
        tree: BaseTree,
        index: SearchIndex,
        progress: Callable[[str], None],
    ) -> None:
        self.is_alone = encoder.is_alone
        self._embedder = encoder.embedder
        self._texts = StoredEmbedder(store, encoder.embedder)
        self._tree = tree
        self._index = index
        self._progress = progress

    def of_files(self, query: str, paths: Sequence[str]) -> list[float]:
        """Return the similarity of each file to a text, -1 to 1.

        Raises:
            ModelError: the encoder fails.
        """
        entries = self._tree.entries(paths)
        self._index.update(entries, lambda entry: self._tree.text(entry.path), self._embedder, self._progress)
        return self._index.similarity(query_variants(query), entries, self._embedder) if entries else []

    def of_texts(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the similarity of each text of code: that of its nearest part, -1 to 1.

        Raises:
            ModelError: the encoder fails.
        """
        parts = [_parts(text) for text in texts]
        queries = self._texts.embed(query_variants(query))
        vectors = self._texts.embed([part for own in parts for part in own])
        products = (vectors @ queries.T).mean(axis=1).tolist()
        nearest = []
        start = 0
        for own in parts:
            nearest.append(round(max(products[start : start + len(own)], default=0.0), 5))
            start += len(own)
        return nearest


def _parts(text: str) -> list[str]:
    """Return a text of code as an encoder reads it, in parts as long as its window."""
    rest = whole = "\n".join(" ".join(line.split()) for line in text.split("\n") if line.strip())
    found: list[str] = []
    while rest and len(found) < _MOST_PARTS:
        part = leading(rest)
        rest = rest[len(part) :]
        found.append(part)
    return found or [whole]
