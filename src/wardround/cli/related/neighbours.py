"""``wardround related --neighbours``: the files near a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.change.change_source import FileTexts
from wardround.cli.run import open_change
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import reviewed_tree
from wardround.retrieval.hunk_search import changed_code
from wardround.retrieval.past_commits import commits_before
from wardround.retrieval.results import RelatedNeighbours

if TYPE_CHECKING:
    from wardround.cli.options import ChangeSpec


def of_change(target: ChangeSpec, limit: int) -> RelatedNeighbours:
    """Return the files of the reviewed tree that are near a change."""
    with open_change(target) as (origin, change, repository):
        assert repository is not None
        origin.fetch(change.files)
        hunks = changed_code(change, FileTexts(origin, change))
        with CodeGraph.open(repository.git_dir) as graph:
            done = graph.update(reviewed_tree(repository, change, origin))
            found = graph.neighbours(hunks, commits_before(repository, change.base), limit)
    rows = [
        (
            neighbour.path,
            neighbour.symbol.line,
            neighbour.symbol.name,
            neighbour.relation,
            neighbour.reason,
            neighbour.score,
        )
        for neighbour in found
    ]
    return RelatedNeighbours(done.files, len(hunks), rows, done.unparsed)
