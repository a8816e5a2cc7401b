"""The store of vectors is bounded, and has no effect on a result."""

from __future__ import annotations

import stat
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
    keys = {text: text_key(embedder.digest, text) for text in ("login", "price", "mail", "total")}
    assert set(small.get(keys.values())) == {keys["mail"], keys["total"]}


def test_another_model_has_its_own_vectors() -> None:
    shared = store()
    item, two = GroupEmbedder("one"), GroupEmbedder("two")
    for embedder in (item, two, item):
        StoredEmbedder(shared, embedder).embed(["login"])
    assert (item.asked, two.asked) == (["login"], ["login"])


def test_the_store_is_private_and_holds_no_text(tmp_path: Path) -> None:
    opened = VectorStore.open(tmp_path / "repository", tmp_path / "stores")
    StoredEmbedder(opened, GroupEmbedder()).embed(["the password of a login"])
    opened.close()
    (file,) = (tmp_path / "stores").glob("*.sqlite")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert b"password" not in file.read_bytes()


def test_a_damaged_store_is_replaced(tmp_path: Path) -> None:
    location = (tmp_path / "repository", tmp_path / "stores")
    first = VectorStore.open(*location)
    expected = StoredEmbedder(first, GroupEmbedder()).embed(["login"])
    first.close()
    (file,) = (tmp_path / "stores").glob("*.sqlite")
    file.write_bytes(b"not a database" * 1000)
    embedder = GroupEmbedder()
    again = StoredEmbedder(VectorStore.open(*location), embedder)
    assert again.embed(["login"]).tobytes() == expected.tobytes()
    assert embedder.asked == ["login"]


def test_a_damaged_vector_is_computed_again() -> None:
    damaged = store()
    embedder = GroupEmbedder()
    expected = StoredEmbedder(damaged, embedder).embed(["login"])
    damaged._database.execute("UPDATE vectors SET data = x'00'")
    assert StoredEmbedder(damaged, embedder).embed(["login"]).tobytes() == expected.tobytes()


def test_a_store_that_fails_costs_time_only(tmp_path: Path) -> None:
    broken = VectorStore.open(tmp_path / "repository", tmp_path / "stores")
    cached = StoredEmbedder(broken, GroupEmbedder())
    expected = cached.embed(["login"])
    broken.close()
    assert cached.embed(["login"]).tobytes() == expected.tobytes()
