"""The callers in a repository that would meet a difference, by its code graph."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping

from wardround.change.change_source import GitChangeSource
from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.context.code_graph.bounded_update import update_within
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import Certainty
from wardround.context.code_graph.tree_files import reviewed_tree
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.errors import GraphNotBuilt
from wardround.languages.python.module import is_test_path

_MOST = 5
_LIMIT = UpdateLimit(30.0)
FunctionKey = tuple[str, str]
"""A path and a qualified name."""


def callers_of(
    repository: Repository, change: Change, functions: Collection[FunctionKey]
) -> Mapping[FunctionKey, tuple[str, ...]]:
    """Return ``path:line`` of the calls of each function outside of tests; none if the graph is not built."""
    if not functions:
        return {}
    try:
        with CodeGraph.open(repository.git_dir) as graph:
            source = GitChangeSource(repository, change)
            update_within(graph, reviewed_tree(repository, change, source), _LIMIT)
            return {function: _callers(graph, *function) for function in functions}
    except (GraphNotBuilt, sqlite3.DatabaseError):
        return {}


def _callers(graph: CodeGraph, path: str, name: str) -> tuple[str, ...]:
    links = (
        link for symbol in graph.symbols_in(path) if symbol.name == name for link in graph.callers(symbol)
    )
    found = (
        f"{link.path}:{link.line}" for link in links
        if link.certainty is Certainty.RESOLVED and not is_test_path(link.path)
    )  # fmt: skip
    return tuple(dict.fromkeys(found))[:_MOST]
