"""The update of a code graph within the time that a review has for it."""

from __future__ import annotations

import sqlite3

from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import SourceTree
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.errors import GraphNotBuilt


def update_within(graph: CodeGraph, tree: SourceTree, limit: UpdateLimit) -> None:
    """Read the files of a tree that are not stored yet.

    Raises:
        GraphNotBuilt: that costs more than the limit, or the store fails.
    """
    try:
        if limit.files is not None and graph.missing(tree) > limit.files:
            reason = f"more than {limit.files} files are not indexed yet; run `wardround index` once"
            raise GraphNotBuilt(_because(reason))
        if graph.update(tree, limit.seconds).left:
            reason = f"indexing takes longer than {limit.seconds:g} s; run `wardround index` once"
            raise GraphNotBuilt(_because(reason))
    except sqlite3.DatabaseError as cause:
        raise GraphNotBuilt(_because(f"its store failed: {cause}")) from cause


def _because(reason: str) -> str:
    return f"the code graph was not built because {reason}"
