"""The update of a code graph within the time that a review has for it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from wardround.context.code_graph.background_index import start_indexing
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import SourceTree
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.errors import GraphNotBuilt

_RUN_INDEX = "run `wardround index` once"


def update_within(graph: CodeGraph, tree: SourceTree, limit: UpdateLimit, root: Path | None = None) -> None:
    """Read the files of a tree that are not stored yet.

    Args:
        root: root folder of the repository, to index it in the background if there are more files than the
            limit has.

    Raises:
        GraphNotBuilt: that costs more than the limit, or the store fails.
    """
    try:
        if limit.files is not None and graph.missing(tree) > limit.files:
            advice = _advice(graph, root)
            raise GraphNotBuilt(_because(f"more than {limit.files} files are not indexed yet; {advice}"))
        if graph.update(tree, limit.seconds).left:
            reason = f"indexing takes longer than {limit.seconds:g} s; {_RUN_INDEX}"
            raise GraphNotBuilt(_because(reason))
    except sqlite3.DatabaseError as cause:
        raise GraphNotBuilt(_because(f"its store failed: {cause}")) from cause


def _advice(graph: CodeGraph, root: Path | None) -> str:
    if root is not None and start_indexing(root, graph.file, os.environ):
        return "they are being indexed in the background, for the next review"
    return _RUN_INDEX


def _because(reason: str) -> str:
    return f"the code graph was not built because {reason}"
