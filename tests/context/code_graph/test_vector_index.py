"""Symbols are found by meaning; vectors are computed once, within a time limit, and survive a failure."""

from __future__ import annotations

import math
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.retrieval.conftest import GroupEmbedder
from wardround.change.repository import Repository
from wardround.context.code_graph import vector_index
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import tree_at
from wardround.context.code_graph.vector_index import VectorIndex, VectorUpdate

pytest.importorskip("numpy")

LOGIN = "def enter(user):\n    # a comment\n    session = authenticate(user)\n    return session\n"
PRICE = "def sum_up(basket):\n    total = basket.price\n    return total - discount\n"
MAIL = "export function deliver(letter: Letter) {\n  const smtp = mail();\n  return smtp.send(letter);\n}\n"
FILES = {"a.py": LOGIN, "b.py": PRICE, "c.ts": MAIL}


@contextmanager
def opened(
    repo: GitRepository, embedder: GroupEmbedder, limit_s: float = math.inf
) -> Iterator[tuple[CodeGraph, VectorIndex, VectorUpdate]]:
    """Open the graph and the vectors of the newest commit, and update both."""
    with Repository(repo.root) as repository, CodeGraph.open(repository.git_dir) as graph:
        tree = tree_at(repository, repository.commit("HEAD"))
        graph.update(tree)
        with VectorIndex.open(repository.git_dir, embedder) as index:
            yield graph, index, index.update(graph, tree, limit_s)


def nearest(graph: CodeGraph, index: VectorIndex, text: str, limit: int = 3) -> list[str]:
    (found,) = index.nearest([text], limit)
    return [graph.facts(one.path).symbols[one.number].name for one in found]


def database(places: Path) -> Path:
    (file,) = (places / "cache" / "wardround" / "code-vectors").glob("*.sqlite")
    return file


def test_the_nearest_symbol_in_meaning_is_the_first(repo: GitRepository) -> None:
    repo.commit(FILES)
    with opened(repo, GroupEmbedder()) as (graph, index, update):
        assert update == VectorUpdate(symbols=3, embedded=3, missing=0)
        assert nearest(graph, index, "check the password of a login")[0] == "enter"
        assert nearest(graph, index, "newsletter", limit=1) == ["deliver"]
        assert sorted(nearest(graph, index, "price")) == ["deliver", "enter", "sum_up"]


def test_only_changed_symbols_are_embedded_again(repo: GitRepository) -> None:
    repo.commit(FILES)
    with opened(repo, GroupEmbedder()):
        pass
    repo.commit({"a.py": LOGIN + "\n\n" + PRICE.replace("sum_up", "other"), "moved/c.ts": MAIL})
    embedder = GroupEmbedder()
    with opened(repo, embedder) as (graph, index, update):
        assert [text.split("\n")[0] for text in embedder.asked] == ["def other(basket):"]
        assert update == VectorUpdate(symbols=5, embedded=1, missing=0)
        assert nearest(graph, index, "price", limit=2) == ["other", "sum_up"]


def test_layout_and_comments_do_not_change_the_vector_of_a_symbol(repo: GitRepository) -> None:
    repo.commit(FILES)
    with opened(repo, GroupEmbedder()):
        pass
    repo.commit(
        {"a.py": "# moved down\n\n\n" + LOGIN.replace("    # a comment\n", "").replace("    ", "        ")}
    )
    embedder = GroupEmbedder()
    with opened(repo, embedder) as (_, _, update):
        assert (embedder.asked, update.symbols) == ([], 3)


def test_another_model_has_its_own_vectors(repo: GitRepository) -> None:
    repo.commit(FILES)
    for digest in ("one", "two", "one"):
        with opened(repo, GroupEmbedder(digest)) as (_, _, update):
            assert update.symbols == 3
    embedder = GroupEmbedder("two")
    with opened(repo, embedder):
        assert embedder.asked == []


def test_an_update_stops_at_its_time_limit_and_the_next_one_continues(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit(FILES)
    ticks = iter([0.0, *[5.0] * 2, *[50.0] * 20])
    with monkeypatch.context() as patch:
        patch.setattr(vector_index.time, "monotonic", lambda: next(ticks))
        with opened(repo, GroupEmbedder(), limit_s=10) as (graph, index, update):
            assert update == VectorUpdate(symbols=1, embedded=1, missing=2)
            assert nearest(graph, index, "price") == ["enter"]
    with opened(repo, GroupEmbedder()) as (_, _, update):
        assert update == VectorUpdate(symbols=3, embedded=2, missing=0)


def test_tests_and_short_symbols_have_no_vectors(repo: GitRepository) -> None:
    repo.commit({**FILES, "tests/test_a.py": LOGIN, "short.py": "def one(): pass\n", "text.md": "login"})
    with opened(repo, GroupEmbedder()) as (_, _, update):
        assert update.symbols == 3


def test_an_empty_repository_has_no_nearest_symbols(repo: GitRepository) -> None:
    repo.commit({"README.md": "nothing"})
    with opened(repo, GroupEmbedder()) as (_, index, update):
        assert update == VectorUpdate(0, 0, 0)
        assert index.nearest(["login"], 5) == [[]]
        assert index.nearest([], 5) == []


def test_the_store_is_private_and_holds_no_text(repo: GitRepository, own_places: Path) -> None:
    repo.commit(FILES)
    before = repo.fingerprint()
    with opened(repo, GroupEmbedder()):
        pass
    file = database(own_places)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert b"authenticate" not in file.read_bytes()
    assert repo.fingerprint() == before


def test_a_damaged_store_is_built_again(repo: GitRepository, own_places: Path) -> None:
    repo.commit(FILES)
    with opened(repo, GroupEmbedder()):
        pass
    file = database(own_places)
    file.write_bytes(b"not a database" * 1000)
    with opened(repo, GroupEmbedder()) as (graph, index, update):
        assert update.embedded == 3
        assert nearest(graph, index, "price", limit=1) == ["sum_up"]


def test_vectors_that_disappear_are_not_an_error(repo: GitRepository, own_places: Path) -> None:
    repo.commit(FILES)
    with opened(repo, GroupEmbedder()) as (_, index, _):
        index._store._database.execute("DELETE FROM vectors")
        assert index.nearest(["price"], 3) == [[]]
    with opened(repo, GroupEmbedder()) as (graph, index, _):
        assert nearest(graph, index, "price", limit=1) == ["sum_up"]
