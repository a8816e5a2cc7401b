"""The code graphs at base and head, for checks that find what a change breaks in other files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.context.code_graph.bounded_update import update_within
from wardround.context.code_graph.extraction import is_indexed
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import reviewed_tree, tree_at
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.retrieval.index import IndexedFile
from wardround.storage.digest import sha256


@dataclass(frozen=True)
class ChangeGraphs:
    """The code graphs at base and head.

    ``base`` has the uses of definitions that the change removes, ``head`` those that remain.
    """

    base: CodeGraph
    head: CodeGraph

    def close(self) -> None:
        """Close both stores."""
        for graph in (self.base, self.head):
            graph.__exit__(None, None, None)


def open_graphs(
    repository: Repository, change: Change, source: ChangeSource, limit: UpdateLimit
) -> ChangeGraphs:
    """Return the graphs of a change; the caller closes them.

    Raises:
        GraphNotBuilt: one of them costs more than the limit, or the store fails.
    """
    trees = (tree_at(repository, change.base), reviewed_tree(repository, change, source))
    with ExitStack() as stack:
        graphs = [stack.enter_context(CodeGraph.open(repository.git_dir)) for _ in trees]
        for graph, tree in zip(graphs, trees, strict=True):
            update_within(graph, tree, limit, repository.root)
        stack.pop_all()
    return ChangeGraphs(*graphs)


def graphs_of_texts(base: Mapping[str, str], head: Mapping[str, str]) -> ChangeGraphs:
    """Return the graphs of a base and a head that are given as contents by path."""
    graphs = []
    for texts in (base, head):
        graph = CodeGraph.in_memory()
        graph.update(TextTree(texts))
        graphs.append(graph)
    return ChangeGraphs(*graphs)


@dataclass(frozen=True)
class TextTree:
    """An in-memory tree of texts that belongs to no repository; implements ``SourceTree``."""

    texts: Mapping[str, str]

    @cached_property
    def _contents(self) -> dict[str, bytes]:
        return {path: text.encode() for path, text in sorted(self.texts.items()) if is_indexed(path)}

    @property
    def entries(self) -> Sequence[IndexedFile]:
        return [IndexedFile(path, sha256(content).hexdigest()) for path, content in self._contents.items()]

    def fetch(self, entries: Sequence[IndexedFile]) -> None:
        """Do nothing: the contents are in memory."""

    def read(self, entry: IndexedFile) -> bytes:
        return self._contents[entry.path]
