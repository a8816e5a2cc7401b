"""The code context of a change, which the analyses and a language model read."""

from __future__ import annotations

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.change.change_source import ChangeSource, FileTexts
from wardround.change.diff import Change
from wardround.context.code_context import CodeContext
from wardround.context.code_graph.symbol_moves import find_moves
from wardround.context.symbol_neighbours import SymbolNeighbours
from wardround.execution.change_check_runner import GRAPH_LIMITS
from wardround.tools.tool import Profile


def code_context(review: ChangeUnderReview) -> CodeContext:
    """Find the code context of a change; not at commit, where nobody uses it to decide."""
    if review.request.profile is not Profile.CI:
        return CodeContext()
    source, change = review.source, review.change
    texts = FileTexts(source, change)
    moves = find_moves(change, lambda file, base: texts.readable(file.path, base=base))
    return CodeContext(moves, _neighbours(source, change))


def _neighbours(source: ChangeSource, change: Change) -> tuple[SymbolNeighbours, ...]:
    git_source = source.in_repository
    if git_source is None or not change.files:
        return ()
    from wardround.context.code_graph.change_neighbours import neighbours_of  # loads grammars: 15 ms

    return neighbours_of(git_source, change, GRAPH_LIMITS[Profile.CI])
