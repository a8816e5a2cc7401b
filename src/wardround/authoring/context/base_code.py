"""All that retrieval knows about the commit that a task starts from: files, code graph, index and history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TypeVar

from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.code_vectors import CodeVectors, Encoder
from wardround.change.repository import Repository
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import tree_at
from wardround.context.code_graph.vector_store import VectorStore
from wardround.retrieval.commit_signals import COMMITS, CommitIndex
from wardround.retrieval.index import SearchIndex, using

Answer = TypeVar("Answer")
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class BaseCode:
    """An open commit.

    Attributes:
        commits: ids of the commit and those before it, newest first.
        past: their messages and paths; fewer if this clone lacks some.
        vectors: the similarities by an encoder; None if the rankings use none.
    """

    tree: BaseTree
    graph: CodeGraph
    index: SearchIndex
    commits: Sequence[str]
    past: Sequence[CommitIndex]
    vectors: CodeVectors | None = None


def with_base_code(
    repository: Repository,
    commit: str,
    work: Callable[[BaseCode], Answer],
    progress: Progress = lambda text: None,
    encoder: Encoder | None = None,
) -> Answer:
    """Run a function with an open commit; caches change its time, not its result.

    Args:
        encoder: takes part in the rankings; None for words alone.

    Raises:
        ModelError: the encoder fails.
    """
    tree = BaseTree(repository, commit)

    def search(index: SearchIndex) -> Answer:
        entries = tree.entries([*tree.sources, *tree.documents])
        index.update(entries, lambda entry: tree.text(entry.path), None, progress)
        commits = repository.ancestors(commit, COMMITS)
        past = index.past(commits, repository.commits_touching)
        progress("searching the code")
        code = BaseCode(tree, graph, index, commits, past)
        if encoder is None:
            return work(code)
        with closing(VectorStore.open(repository.git_dir)) as store:
            return work(replace(code, vectors=CodeVectors(encoder, store, tree, index, progress)))

    with CodeGraph.open(repository.git_dir) as graph:
        progress("reading the code graph")
        graph.update(tree_at(repository, commit))
        return using(repository.git_dir, search)
