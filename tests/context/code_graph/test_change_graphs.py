"""The code graphs of base and head of a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import GitRepository
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.context.code_graph.change_graphs import ChangeGraphs, graphs_of_texts, open_graphs
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.errors import GraphNotBuilt

BEFORE = {"box.py": "def send(): ...\n", "app.py": "from box import send\n\nsend()\n"}
AFTER = {"box.py": "def post(): ...\n"}


UNLIMITED = UpdateLimit(60.0)


def opened(root: Path, base: str, head: str, limit: UpdateLimit = UNLIMITED) -> ChangeGraphs:
    with Repository(root) as repository:
        change = repository.between(base, head)
        return open_graphs(repository, change, GitChangeSource(repository, change), limit)


def names(graphs: ChangeGraphs) -> tuple[list[str], list[str]]:
    base, head = ([item.name for item in graph.symbols_in("box.py")] for graph in (graphs.base, graphs.head))
    return base, head


def test_each_side_has_its_own_definitions(repo: GitRepository) -> None:
    base, head = repo.commit(BEFORE), repo.commit(AFTER)
    graphs = opened(repo.root, base, head)
    assert names(graphs) == (["send"], ["post"])
    graphs.close()


def test_the_base_has_the_uses_of_what_the_head_removes(repo: GitRepository) -> None:
    base, head = repo.commit(BEFORE), repo.commit(AFTER)
    graphs = opened(repo.root, base, head)
    (send,) = graphs.base.symbols_in("box.py")
    assert [(link.path, link.line) for link in graphs.base.callers(send)] == [("app.py", 3)]
    graphs.close()


def test_a_repository_with_too_many_unknown_files_has_no_graphs(repo: GitRepository) -> None:
    base, head = repo.commit(BEFORE), repo.commit(AFTER)
    with pytest.raises(GraphNotBuilt, match="more than 1 files are not indexed yet; run `wardround index`"):
        opened(repo.root, base, head, UpdateLimit(60.0, 1))


def test_files_that_are_stored_already_do_not_count(repo: GitRepository) -> None:
    base, head = repo.commit(BEFORE), repo.commit(AFTER)
    opened(repo.root, base, head).close()
    opened(repo.root, base, head, UpdateLimit(60.0, 0)).close()


def test_a_graph_that_takes_too_long_is_not_used(repo: GitRepository) -> None:
    base, head = repo.commit(BEFORE), repo.commit(AFTER)
    with pytest.raises(GraphNotBuilt, match="indexing takes longer than 0 s"):
        opened(repo.root, base, head, UpdateLimit(0.0))


def test_texts_without_a_repository_have_graphs() -> None:
    graphs = graphs_of_texts(BEFORE, {**BEFORE, **AFTER})
    assert names(graphs) == (["send"], ["post"])
    graphs.close()
