"""All that retrieval knows about the commit that a task starts from: files, code graph, index and history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from wardround.authoring.context.base_tree import BaseTree
from wardround.change.repository import Repository
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import tree_at
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
    """

    tree: BaseTree
    graph: CodeGraph
    index: SearchIndex
    commits: Sequence[str]
    past: Sequence[CommitIndex]


def with_base_code(
    repository: Repository,
    commit: str,
    work: Callable[[BaseCode], Answer],
    progress: Progress = lambda text: None,
) -> Answer:
    """Run a function with an open commit; caches change its time, not its result."""
    tree = BaseTree(repository, commit)

    def search(index: SearchIndex) -> Answer:
        entries = tree.entries([*tree.sources, *tree.documents])
        index.update(entries, lambda entry: tree.text(entry.path), None, progress)
        commits = repository.ancestors(commit, COMMITS)
        past = index.past(commits, repository.commits_touching)
        progress("searching the code")
        return work(BaseCode(tree, graph, index, commits, past))

    with CodeGraph.open(repository.git_dir) as graph:
        progress("reading the code graph")
        graph.update(tree_at(repository, commit))
        return using(repository.git_dir, search)
