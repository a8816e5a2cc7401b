"""The store of vectors is bounded, and has no effect on a result."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.retrieval.conftest import GroupEmbedder
from wardround.context.code_graph.vector_store import _KIND, StoredEmbedder, VectorStore, text_key
from wardround.storage.repository_database import RepositoryDatabase

np = pytest.importorskip("numpy")


def store(most: int = 100) -> VectorStore:
    return VectorStore(RepositoryDatabase.in_memory(_KIND), most)


def test_a_stored_vector_equals_a_computed_one() -> None:
    texts = ["login and password", "the price of a basket", "login and password"]
    cached = StoredEmbedder(store(), GroupEmbedder())
    first, second = cached.embed(texts), cached.embed(texts)
    assert first.dtype == np.float32
    assert first.tobytes() == second.tobytes()
    assert np.abs(first - GroupEmbedder().embed(texts)).max() < 0.001


def test_each_text_is_embedded_once() -> None:
    embedder = GroupEmbedder()
    cached = StoredEmbedder(store(), embedder)
    cached.embed(["login", "price", "login"])
    cached.embed(["price", "mail"])
    assert embedder.asked == ["login", "price", "mail"]
    assert cached.embed([]).shape[0] == 0


def test_a_full_store_begins_again() -> None:
    embedder = GroupEmbedder()
    small = store(most=3)
    cached = StoredEmbedder(small, embedder)
    cached.embed(["login", "price"])
    cached.embed(["mail", "total"])
    assert small.keys() == {text_key(embedder.digest, text) for text in ("mail", "total")}


def test_a_store_that_fails_costs_time_only(tmp_path: Path) -> None:
    broken = VectorStore.open(tmp_path / "repository", tmp_path / "stores")
    cached = StoredEmbedder(broken, GroupEmbedder())
    expected = cached.embed(["login"])
    broken.close()
    assert cached.embed(["login"]).tobytes() == expected.tobytes()
