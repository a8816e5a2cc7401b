"""The scores of a model: right, open and invalid answers, next to rules and a base model."""

from __future__ import annotations

import pytest

from wardround.planes.language_model.narrow_questions.loading import narrow_questions
from wardround.rules.intervals import wilson
from wardround_lab.evaluation.narrow_questions.asking import INVALID, UNCLEAR, CaseAnswer
from wardround_lab.evaluation.narrow_questions.cases import QuestionCase
from wardround_lab.evaluation.narrow_questions.scores import Proportion, measure
from wardround_lab.evaluation.narrow_questions.scores_table import lines

QUESTION = next(question for question in narrow_questions() if question.id == "error-hidden")


def answer(name: str, text: str, *, is_problem: bool, seconds: float = 1.0, problem: str = "") -> CaseAnswer:
    return CaseAnswer(QuestionCase(QUESTION, name, is_problem, ()), text, seconds, problem)


ANSWERS = [
    answer("a", "yes", is_problem=True, seconds=1.0),
    answer("b", "no", is_problem=True, seconds=2.0),
    answer("c", "no", is_problem=False, seconds=3.0),
    answer("d", UNCLEAR, is_problem=False, seconds=4.0),
    answer("e", INVALID, is_problem=False, seconds=9.0, problem="status 500"),
]


def test_accuracy_is_of_the_decided_answers_and_the_others_are_counted() -> None:
    total = measure(ANSWERS, {}, [], ("m", "")).total
    assert total.accuracy == Proportion(2, 3, *wilson(2, 3))
    assert (total.found.hits, total.found.of) == (1, 2)
    assert (total.passed.hits, total.passed.of) == (1, 3)
    assert (total.unclear.hits, total.invalid.hits, total.seconds) == (1, 1, 3.0)
    assert (total.rules, total.base) == (None, None)


def test_the_expected_answer_depends_on_the_question() -> None:
    assert QUESTION.problem == "yes"
    assert answer("a", "yes", is_problem=True).case.expected == "yes"
    assert answer("a", "no", is_problem=False).case.expected == "no"


def test_rules_and_the_base_model_are_measured_on_the_same_cases() -> None:
    base = [answer("a", "no", is_problem=True), answer("b", "yes", is_problem=True)]
    (score,) = measure(ANSWERS, {"a": True, "c": True}, base, ("m", "b")).questions
    assert score.name == "python/error-hidden"
    assert score.rules == Proportion(1, 2, *wilson(1, 2))
    assert score.base == Proportion(1, 2, *wilson(1, 2))


@pytest.mark.parametrize("base_model", ["", "b"])
def test_the_table_has_a_line_for_each_group_and_the_problems(base_model: str) -> None:
    base = ANSWERS if base_model else []
    head, *rows, problem = lines(measure(ANSWERS, {}, base, ("m", base_model)))
    assert ("base" in head) is bool(base_model)
    assert [row.split()[-1] for row in rows] == ["python/error-hidden", "python", "all"]
    assert "67% [21, 94]" in rows[0]
    assert problem == "1 cases without an answer: status 500"
