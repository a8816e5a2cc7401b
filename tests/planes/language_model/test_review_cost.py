"""The estimate of a review's requests, tokens and time."""

from __future__ import annotations

from typing import Any

import pytest

from tests.planes.language_model.questions_factory import question_of, settings
from wardround.findings import Plane
from wardround.planes.language_model.question import Question
from wardround.planes.language_model.review_cost import PassCost, ReviewCost, review_cost

PLANES = tuple(Plane)


def cost(count: int = len(PLANES), cached: int = 0, **values: Any) -> ReviewCost:
    questions = [question_of(plane) for plane in PLANES[:count]]
    of_cached = [question.plane for question in questions[:cached]]
    return review_cost(questions, settings(**values), lambda question: question.plane in of_cached)


def test_both_passes_are_counted_with_the_limit_on_answers() -> None:
    found = cost(2, max_tokens=700)
    tokens = [(plane.first, plane.second) for plane in found.planes]
    assert found.first_pass == PassCost(2, sum(first for first, _ in tokens), 1400)
    assert found.second_pass == PassCost(2, sum(second for _, second in tokens), 1400)
    assert all(0 < first < 3000 for first, _ in tokens)


def test_cached_answers_and_questions_without_hunks_are_not_sent() -> None:
    assert cost(6, cached=5).first_pass.requests == 1
    empty = Question(question_of().prompt, question_of().content, (), 3)
    assert review_cost([empty], settings(), lambda question: False).planes == ()


@pytest.mark.parametrize(
    ("count", "cached", "concurrency", "seconds"),
    [
        (6, 0, 4, (1.0, 1.5)),
        (6, 0, 1, (3.0, 6.0)),
        (6, 0, 12, (0.5, 1.0)),
        (6, 6, 4, (0.0, 1.0)),
        (1, 0, 4, (0.5, 1.0)),
        (1, 1, 4, (0.0, 0.5)),
        (0, 0, 4, (0.0, 0.0)),
    ],
)
def test_requests_of_one_plane_follow_each_other(
    count: int, cached: int, concurrency: int, seconds: tuple[float, float]
) -> None:
    assert cost(count, cached, concurrency=concurrency).seconds(0.5) == seconds
