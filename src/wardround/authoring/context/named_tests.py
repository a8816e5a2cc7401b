"""The tests that probably cover the code that a task is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.budget import Evidence, Span
from wardround.authoring.context.code_ranking import RankedSegment, segment_text
from wardround.retrieval.revision_tests import RevisionTests
from wardround.retrieval.test_selection import TargetFunction, TestMatch

MOST_TESTS = 10
_OF = "of "
_MOST_FUNCTIONS = 6
_LATER = 0.4
"""The score by which a test of the next function has to be better than one of the function before it."""


def tests_of(tree: BaseTree, ranked: Sequence[RankedSegment], query: str) -> list[Evidence]:
    """Return tests with the evidence, best first.

    Args:
        query: the task, whose words count like those of a change.
    """
    functions = list(_subjects(tree, ranked, query))
    ranks = {function.id: rank for rank, function in enumerate(functions)}
    matches = RevisionTests(tree.repository, tree.blobs, {}).matches(functions)
    first = sorted(matches, key=lambda match: _LATER * ranks[match.subject.id] - match.score)
    return [_evidence(match) for match in first[:MOST_TESTS]]


def _evidence(match: TestMatch) -> Evidence:
    case = match.case
    span = Span(case.path, case.line, case.end_line, ".".join((*case.around, case.name)))
    return span, (*match.why, f"{_OF}{match.subject.id}")


def subject_path(reasons: Sequence[str]) -> str:
    """Return the file of the function for which a test is there, from its reasons."""
    return reasons[-1].removeprefix(_OF).partition("::")[0]


def _subjects(tree: BaseTree, ranked: Sequence[RankedSegment], query: str) -> Iterator[TargetFunction]:
    functions = [found.segment for found in ranked if found.segment.is_function]
    for segment in functions[:_MOST_FUNCTIONS]:
        yield TargetFunction(segment.path, segment.symbol, segment_text(segment, tree), query)
