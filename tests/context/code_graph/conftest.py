"""Graphs of real repositories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack

import pytest

from tests.conftest import GitRepository
from wardround.change.repository import Repository
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import tree_at

GraphOf = Callable[[Mapping[str, str | bytes]], CodeGraph]


def two_commits(
    repo: GitRepository, before: Mapping[str, str], after: Mapping[str, str | None]
) -> tuple[str, str]:
    """Commit files, then a change of them, in which None deletes a file; return both commits."""
    base = repo.commit(before)
    for path, text in after.items():
        if text is None:
            repo.git("rm", "-q", path)
    return base, repo.commit({path: text for path, text in after.items() if text is not None})


@pytest.fixture
def graph_of(repo: GitRepository) -> Iterator[GraphOf]:
    """Commit some files and return the graph of that commit."""
    with ExitStack() as stack:

        def made(files: Mapping[str, str | bytes]) -> CodeGraph:
            commit = repo.commit(files)
            repository = stack.enter_context(Repository(repo.root))
            graph = stack.enter_context(CodeGraph.open(repository.git_dir))
            graph.update(tree_at(repository, commit))
            return graph

        yield made
