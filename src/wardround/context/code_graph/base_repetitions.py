"""The repetitions of a change, by the code graph of its base."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from msgspec.structs import replace

from wardround.change.change_source import GitChangeSource
from wardround.change.diff import Change
from wardround.change.encoding import escape_undecodable
from wardround.context.code_graph.bounded_update import update_within
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.meaning import meanings
from wardround.context.code_graph.repetitions import (
    BaseFiles,
    Body,
    Reader,
    RepetitionSearch,
    added_bodies,
    drop_moved,
    find_repetitions,
    without,
)
from wardround.context.code_graph.symbol_moves import SymbolMove
from wardround.context.code_graph.tree_files import tree_at
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.context.code_graph.vector_store import StoredEmbedder, VectorStore
from wardround.context.repetition import Repetition
from wardround.errors import GraphNotBuilt, ModelError
from wardround.retrieval.protocols import TextEmbedder


def repetitions_of(
    source: GitChangeSource,
    change: Change,
    read: Reader,
    moves: Sequence[SymbolMove],
    limit: UpdateLimit,
    embedder: TextEmbedder | None = None,
) -> tuple[Repetition, ...]:
    """Return the added functions that repeat an existing one; none if the graph costs too much or fails.

    Args:
        embedder: compares the functions that repeat none by their syntax; without one, they are not compared.
        moves: the symbols that the change moves or renames, which repeat nothing.
    """
    added = drop_moved(added_bodies(change, read), moves)
    if not added:
        return ()
    try:
        with CodeGraph.open(source.repository.git_dir) as graph:
            return _search_base(graph, source, change, read, added, limit, embedder)
    except (GraphNotBuilt, sqlite3.DatabaseError):
        return ()


def _search_base(
    graph: CodeGraph,
    source: GitChangeSource,
    change: Change,
    read: Reader,
    added: tuple[Body, ...],
    limit: UpdateLimit,
    embedder: TextEmbedder | None,
) -> tuple[Repetition, ...]:
    update_within(graph, tree_at(source.repository, change.base), limit)
    base = BaseFiles(lambda path: source.read(path, "base"))
    found = find_repetitions(added, change, read, graph, base)
    if embedder is not None:
        search = RepetitionSearch(change, read, graph, base)
        found += _find_by_meaning(without(added, found), search, graph, source.repository.git_dir, embedder)
    return tuple(sorted(map(_recordable, found)))


def _find_by_meaning(
    added: tuple[Body, ...], search: RepetitionSearch, graph: CodeGraph, git_dir: Path, embedder: TextEmbedder
) -> tuple[Repetition, ...]:
    """Return the functions with the meaning of an existing one; none if the model fails."""
    with closing(VectorStore.open(git_dir)) as store, suppress(ModelError):
        return tuple(meanings(added, search, graph, StoredEmbedder(store, embedder)))
    return ()


def _recordable(repetition: Repetition) -> Repetition:
    return replace(
        repetition,
        path=escape_undecodable(repetition.path),
        existing_path=escape_undecodable(repetition.existing_path),
    )
