"""The repetitions of a change, by the code graph of its base."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from msgspec.structs import replace

from wardround.change.change_source import GitChangeSource
from wardround.change.diff import Change
from wardround.change.encoding import escape_undecodable
from wardround.context.code_graph.bounded_update import update_within
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.repetitions import (
    BaseFiles,
    Body,
    Reader,
    added_bodies,
    find_repetitions,
    without_moved,
)
from wardround.context.code_graph.tree_files import tree_at
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.context.repetition import Repetition
from wardround.context.symbol_moves import SymbolMove
from wardround.errors import GraphNotBuilt


def repetitions_of(
    source: GitChangeSource,
    change: Change,
    read: Reader,
    find_moves: Callable[[], tuple[SymbolMove, ...]],
    limit: UpdateLimit,
) -> tuple[Repetition, ...]:
    """Return the added functions that repeat an existing one; none if the graph costs too much or fails.

    Args:
        find_moves: returns the moves of the change; only called if it adds functions.
    """
    added = added_bodies(change, read)
    added = without_moved(added, find_moves()) if added else ()
    if not added:
        return ()
    try:
        with CodeGraph.open(source.repository.git_dir) as graph:
            return _searched(graph, source, change, read, added, limit)
    except (GraphNotBuilt, sqlite3.DatabaseError):
        return ()


def _searched(
    graph: CodeGraph,
    source: GitChangeSource,
    change: Change,
    read: Reader,
    added: tuple[Body, ...],
    limit: UpdateLimit,
) -> tuple[Repetition, ...]:
    update_within(graph, tree_at(source.repository, change.base), limit)
    base = BaseFiles(lambda path: source.read(path, "base"))
    return tuple(_recordable(one) for one in find_repetitions(added, change, read, graph, base))


def _recordable(one: Repetition) -> Repetition:
    return replace(
        one, path=escape_undecodable(one.path), existing_path=escape_undecodable(one.existing_path)
    )
