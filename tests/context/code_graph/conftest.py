"""Graphs of real repositories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from tests.conftest import GitRepository
from wardround.change.repository import Repository
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import tree_at

GraphOf = Callable[[Mapping[str, str | bytes]], CodeGraph]


@pytest.fixture
def graph_of(repo: GitRepository) -> Iterator[GraphOf]:
    """Commit some files and return the graph of that commit."""
    repository = None
    graphs: list[CodeGraph] = []

    def made(files: Mapping[str, str | bytes]) -> CodeGraph:
        nonlocal repository
        commit = repo.commit(files)
        repository = Repository(repo.root)
        graph = CodeGraph.open(repository.git_dir)
        graphs.append(graph)
        graph.update(tree_at(repository, commit))
        return graph

    yield made
    for graph in graphs:
        graph.__exit__(None, None, None)
    if repository is not None:
        repository.__exit__(None, None, None)
