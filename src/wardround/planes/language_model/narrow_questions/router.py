"""The router: which questions a plane puts about which hunks, the riskiest first and a bounded number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import get_args

from msgspec.structs import replace

from wardround.config.language_model import ContextSize
from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.planes.language_model.hunks import SentHunk
from wardround.planes.language_model.narrow_questions.loading import narrow_questions
from wardround.planes.language_model.narrow_questions.model import (
    ANY_LANGUAGE,
    Condition,
    NarrowQuestion,
    Patterns,
    Scope,
)
from wardround.planes.language_model.narrow_questions.placed import PlacedQuestion, RoutedQuestions
from wardround.planes.language_model.narrow_questions.shapes import SHAPES
from wardround.text.globs import matches

MOST_QUESTIONS = 8
"""Maximum number of questions in one request: each takes a part of the model's attention, and of its answer.
"""


def route(
    plane: Plane,
    hunks: Sequence[SentHunk],
    claimed: Mapping[str, Collection[str]],
    size: ContextSize,
    questions: Sequence[NarrowQuestion] | None = None,
) -> RoutedQuestions:
    """Return the questions of a plane about the hunks of its input.

    Args:
        claimed: path -> the specialists that review the file.
        size: the part of the code that the input has.
        questions: these replace the questions that ship with the rules.
    """
    own = [
        question
        for question in (narrow_questions() if questions is None else questions)
        if question.plane is plane and _has_context(question, size)
    ]
    found = [
        location for hunk in hunks for location in _questions_about(hunk, own, claimed.get(hunk.path, ()))
    ]
    chosen = sorted(_rank_questions(found), key=lambda entry: entry[0])[:MOST_QUESTIONS]
    placed = tuple(replace(location, number=number) for number, (_, location) in enumerate(chosen, 1))
    return RoutedQuestions(placed, len(found) - len(placed))


def _has_context(question: NarrowQuestion, size: ContextSize) -> bool:
    sizes = get_args(ContextSize)
    return sizes.index(size) >= sizes.index(question.context)


def _rank_questions(found: Sequence[PlacedQuestion]) -> Iterator[tuple[tuple[int, int, int], PlacedQuestion]]:
    """Yield questions with their rank.

    The most severe come first, and each question comes once before any is repeated.
    """
    seen: Counter[str] = Counter()
    for position, location in enumerate(found):
        question = location.question
        yield (-Severity.from_label(question.severity), seen[question.id], position), location
        seen[question.id] += 1


def _questions_about(
    hunk: SentHunk, questions: Sequence[NarrowQuestion], specialists: Collection[str]
) -> Iterator[PlacedQuestion]:
    """Yield the questions about a hunk, each at most once."""
    for question in questions:
        if not _is_for(question, hunk, specialists):
            continue
        location = line_of_question(question, hunk)
        if location is not None:
            yield PlacedQuestion(0, question, hunk.path, hunk.file, *location)


def _is_for(question: NarrowQuestion, hunk: SentHunk, specialists: Collection[str]) -> bool:
    if question.specialist != ANY_LANGUAGE and question.specialist not in specialists:
        return False
    return question.scope is None or _is_in_scope(hunk, question.scope)


def _is_in_scope(hunk: SentHunk, scope: Scope) -> bool:
    return matches(hunk.path, scope.files) or any(
        _in_other_files(scope).search(line) for line in _searched_texts(hunk)
    )


def line_of_question(question: NarrowQuestion, hunk: SentHunk) -> tuple[int, str] | None:
    """Return the number and the text of the line that a question is about; None if it is about none."""
    return next((location for condition in question.when if (location := _find_line(condition, hunk))), None)


def _find_line(condition: Condition, hunk: SentHunk) -> tuple[int, str] | None:
    if condition.paths and not matches(hunk.path, condition.paths):
        return None
    patterns = _patterns(condition)
    around = patterns.around
    if around is not None and not any(around.search(line) for line in _searched_texts(hunk)):
        return None
    added, removed = _added_match(patterns, hunk), _removed_match(patterns, hunk)
    shaped = next(SHAPES[condition.shape](hunk), None) if condition.shape else None
    expected = (
        (patterns.added is not None, added),
        (patterns.removed is not None, removed),
        (bool(condition.shape), shaped),
    )
    if any(is_wanted and location is None for is_wanted, location in expected):
        return None
    return next(location for is_wanted, location in expected if is_wanted)


def _added_match(patterns: Patterns, hunk: SentHunk) -> tuple[int, str] | None:
    pattern = patterns.added
    if pattern is None:
        return None
    return next(((number, text) for number, text in hunk.added.items() if pattern.search(text)), None)


def _removed_match(patterns: Patterns, hunk: SentHunk) -> tuple[int, str] | None:
    pattern = patterns.removed
    if pattern is None:
        return None
    return next(((line.next, line.text) for line in hunk.removed if pattern.search(line.text)), None)


def _searched_texts(hunk: SentHunk) -> Iterator[str]:
    yield from hunk.added.values()
    yield from hunk.unchanged.values()
    yield from (line.text for line in hunk.removed)


@cache
def _in_other_files(scope: Scope) -> LazyPattern:
    return LazyPattern(scope.elsewhere)


@cache
def _patterns(condition: Condition) -> Patterns:
    return Patterns.of(condition)
