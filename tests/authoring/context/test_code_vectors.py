"""The similarities of code to a task, by the encoder that the package has."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.installed import require_installed
from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.code_vectors import CodeVectors, Encoder
from wardround.change.repository import Repository
from wardround.config.schema import RunSettings
from wardround.context.code_graph.vector_store import VectorStore
from wardround.inference.base_embedder import base_embedder
from wardround.retrieval.index import SearchIndex, using

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from tests.conftest import GitRepository

require_installed("onnxruntime")
pytest.importorskip("numpy")
FILES = {"a/delete.py": "def unlink(path):\n    path.remove()\n", "a/parse.py": "def date(text):\n    ...\n"}
QUERY = "Erase documents\nAll of them"


class CountingEmbedder:
    """The real encoder; counts the texts that it embeds."""

    def __init__(self) -> None:
        self._embedder = base_embedder(RunSettings(), Path())
        self.digest = self._embedder.digest
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[float32]:
        self.texts += texts
        return self._embedder.embed(texts)


def similarities(root: Path, embedder: CountingEmbedder) -> tuple[list[float], list[float]]:
    """Return those of the files, and of short and long texts."""
    texts = ["delete the documents", "draw a circle", f"{'x = 1 + 2' * 40}\ndelete the documents", ""]
    with Repository(root) as repository, closing(VectorStore.open(repository.git_dir)) as store:
        head = repository.head()
        assert head is not None

        def compare(index: SearchIndex) -> tuple[list[float], list[float]]:
            tree = BaseTree(repository, head)
            index.update(tree.entries(tree.sources), lambda entry: tree.text(entry.path), None)
            vectors = CodeVectors(Encoder("base", embedder, False), store, tree, index, lambda text: None)
            return vectors.of_files(QUERY, list(FILES)), vectors.of_texts(QUERY, texts)

        return using(repository.git_dir, compare)


def test_vectors_are_computed_once_and_the_nearest_part_of_a_text_counts(repo: GitRepository) -> None:
    repo.commit(FILES)
    embedder = CountingEmbedder()
    files, texts = similarities(repo.root, embedder)
    assert files[0] > files[1]
    assert texts[0] > texts[2] > texts[1]
    computed = len(embedder.texts)
    assert similarities(repo.root, embedder) == (files, texts)
    assert len(embedder.texts) == computed


def test_nothing_is_similar_to_nothing(repo: GitRepository) -> None:
    repo.commit(FILES)
    with Repository(repo.root) as repository, closing(VectorStore.open(repository.git_dir)) as store:
        tree = BaseTree(repository, repository.head() or "")
        encoder = Encoder("base", CountingEmbedder(), True)
        found = using(
            repository.git_dir,
            lambda index: CodeVectors(encoder, store, tree, index, lambda text: None).of_files(QUERY, []),
        )
    assert found == []
