"""The tests that probably cover the code that a task is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.budget import Span
from wardround.authoring.context.code_ranking import RankedSegment, segment_text
from wardround.retrieval.revision_tests import RevisionTests
from wardround.retrieval.test_selection import TargetFunction

MOST_TESTS = 10
_MOST_FUNCTIONS = 6


def tests_of(
    tree: BaseTree, ranked: Sequence[RankedSegment], query: str
) -> list[tuple[Span, tuple[str, ...]]]:
    """Return tests with the evidence, best first.

    Args:
        query: the task, whose words count like those of a change.
    """
    functions = list(_subjects(tree, ranked, query))
    matches = RevisionTests(tree.repository, tree.blobs, {}).matches(functions)
    return [
        (
            Span(
                match.case.path,
                match.case.line,
                match.case.end_line,
                ".".join((*match.case.around, match.case.name)),
            ),
            (*match.why, f"of {match.subject.id}"),
        )
        for match in matches[:MOST_TESTS]
    ]


def _subjects(tree: BaseTree, ranked: Sequence[RankedSegment], query: str) -> Iterator[TargetFunction]:
    functions = [found.segment for found in ranked if found.segment.is_function]
    for segment in functions[:_MOST_FUNCTIONS]:
        yield TargetFunction(segment.path, segment.symbol, segment_text(segment, tree), query)
