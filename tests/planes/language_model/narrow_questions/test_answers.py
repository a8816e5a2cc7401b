"""Answers to narrow questions, from an endpoint on loopback to findings and counts."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
from msgspec.structs import replace

from tests.planes.language_model.loopback import (
    NOTHING,
    Behaviour,
    Endpoint,
    answers,
    endpoint,
    respond,
    verdicts,
)
from tests.planes.language_model.questions_factory import HUNK, KEY, question_of, runner, settings
from wardround.findings import Plane, Severity
from wardround.planes.evidence import QuestionCounts
from wardround.planes.language_model.calls import run_all
from wardround.planes.language_model.exchange_runner import PlaneAnswer
from wardround.planes.language_model.narrow_questions.attach import attach_questions
from wardround.planes.language_model.narrow_questions.model import Condition, NarrowQuestion
from wardround.planes.language_model.narrow_questions.router import route
from wardround.planes.language_model.prompts import load_prompt
from wardround.planes.language_model.question import Question

BOUND = NarrowQuestion(
    id="bounds-include-ends",
    text="Is the bound right?",
    plane=Plane.SEMANTIC,
    when=(Condition(added=r"\["),),
    problem="no",
    severity="warn",
    message="A bound is wrong.",
    specialist="python",
)
NAME = replace(
    BOUND, id="name-is-clear", text="Is the name taken?", when=(Condition(added="def "),), problem="yes"
)


def asked(*questions: NarrowQuestion) -> Question:
    """The question of the semantic plane with narrow ones."""
    chosen = questions or (BOUND, NAME)
    routed = route(Plane.SEMANTIC, [HUNK], {"app.py": ["python"]}, "functions", chosen)
    return attach_questions(question_of(Plane.SEMANTIC), routed)


def answered(*given: dict[str, Any], findings: tuple[dict[str, Any], ...] = ()) -> Behaviour:
    """Complete with answers, each with the values that it does not have."""
    complete = [{"quote": "values[:11]", "message": "Eleven are returned."} | item for item in given]
    return answers(json.dumps({"findings": list(findings), "answers": complete}))


def exchange(
    *behaviours: Behaviour, second: tuple[Behaviour, ...] = (), question: Question | None = None
) -> tuple[PlaneAnswer, Endpoint]:
    with endpoint(*behaviours, second=second) as server:
        configured = settings(server.url)
        (answer,) = run_all(runner(configured), [question or asked()], configured, KEY, lambda: False)
    return answer, server


YES, NO = {"question": 1, "answer": "yes"}, {"question": 1, "answer": "no"}
FREE = {"question": 2, "answer": "no", "quote": "def limit(values):"}


def test_the_request_has_the_questions_and_requires_their_answers() -> None:
    _, server = exchange(answered(YES, FREE))
    (request,) = server.received
    assert [item["text"] for item in request.input["questions"]] == [
        "Is the bound right?",
        "Is the name taken?",
    ]
    system = request.document["messages"][0]["content"]
    assert system.startswith(load_prompt(Plane.SEMANTIC).text)
    assert "## Questions" in system
    schema = request.document["response_format"]["json_schema"]["schema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert set(schema["required"]) == set(schema["properties"]) == {"findings", "answers"}


def test_without_questions_a_request_is_as_before() -> None:
    plain = question_of(Plane.SEMANTIC)
    assert asked(replace(BOUND, plane=Plane.PERF)).body(settings()) == plain.body(settings())
    assert "questions" not in json.loads(plain.body(settings()))["messages"][1]["content"]


def test_an_answer_that_means_a_problem_is_a_finding_after_the_second_pass() -> None:
    answer, server = exchange(answered(NO, FREE))
    (found,) = answer.findings
    assert (found.file, found.span.line, found.severity) == ("app.py", 5, Severity.WARN)
    assert found.message == "Eleven are returned. (bounds-include-ends)"
    (request,) = server.refutations
    assert request.input["claims"][0]["message"] == found.message
    assert answer.exchange.questions == QuestionCounts(sent=2, problems=1)


def test_the_second_pass_refutes_an_answer_like_any_claim() -> None:
    answer, _ = exchange(answered(NO, FREE), second=(verdicts("refuted"),))
    assert answer.findings == ()
    assert answer.exchange.discarded == {"refuted": 1}


def test_a_message_of_the_question_takes_the_place_of_an_empty_one() -> None:
    answer, _ = exchange(answered(NO | {"message": " "}, FREE))
    assert [found.message for found in answer.findings] == ["A bound is wrong. (bounds-include-ends)"]


def test_an_answer_without_a_problem_is_not_a_finding() -> None:
    answer, server = exchange(answered(YES, FREE))
    assert (answer.findings, answer.exchange.problem, len(server.received)) == ((), "", 1)
    assert answer.exchange.questions == QuestionCounts(sent=2)


def test_a_question_that_an_answer_skips_is_put_once_more() -> None:
    answer, server = exchange(answered(YES), answered(YES, FREE | {"answer": "yes"}))
    first, second = server.received
    assert "no answer with a quoted line to question 2" not in first.document["messages"][0]["content"]
    assert "no answer with a quoted line to question 2" in second.document["messages"][0]["content"]
    assert len(answer.findings) == 1
    assert answer.exchange.questions == QuestionCounts(sent=2, problems=1)


def test_a_question_that_is_skipped_twice_is_unresolved_and_the_answer_counts() -> None:
    answer, server = exchange(answered(NO), NOTHING)
    assert len(server.received) == 2
    assert (len(answer.findings), answer.exchange.problem) == (1, "")
    assert answer.exchange.questions == QuestionCounts(sent=2, problems=1, unresolved=1)


def test_an_unusable_second_answer_does_not_take_back_the_first() -> None:
    answer, _ = exchange(answered(NO), answers("I do not know."))
    assert (len(answer.findings), answer.exchange.problem) == (1, "")
    assert answer.exchange.questions.unresolved == 1


def test_an_endpoint_that_fails_at_the_second_request_leaves_the_plane_inconclusive() -> None:
    answer, _ = exchange(answered(NO), respond(401, b"{}"))
    assert answer.exchange.problem != ""


def test_an_answer_needs_a_quote_of_the_input() -> None:
    invented = answered(NO | {"quote": "values[:12]"}, FREE | {"quote": ""})
    answer, server = exchange(invented)
    assert (answer.findings, len(server.received)) == ((), 2)
    assert answer.exchange.questions == QuestionCounts(sent=2, unresolved=2)


def test_unclear_is_an_abstention_without_a_quote() -> None:
    unclear = [{"question": number, "answer": "Unclear", "quote": None} for number in (1, 2)]
    answer, server = exchange(answered(*unclear))
    assert (answer.findings, len(server.received)) == ((), 1)
    assert answer.exchange.questions == QuestionCounts(sent=2, unclear=2)


def test_nothing_takes_back_an_answer_that_means_a_problem() -> None:
    for given in ((NO, YES), (YES, NO)):
        answer, _ = exchange(answered(*given, FREE))
        assert [found.span.line for found in answer.findings] == [5]


def test_answers_to_questions_that_were_not_put_are_ignored() -> None:
    answer, _ = exchange(
        answered(YES, FREE, {"question": 3, "answer": "no"}, {"question": 0, "answer": "no"})
    )
    assert (answer.findings, answer.exchange.questions) == ((), QuestionCounts(sent=2))


def test_words_and_fences_of_models_are_understood() -> None:
    document = {
        "findings": [],
        "answers": [NO | {"answer": False, "quote": "5 +     return values[:11]"}, FREE],
    }
    answer, _ = exchange(answers(f"<think>Is it?</think>\n```json\n{json.dumps(document)}\n```"))
    assert [found.span.line for found in answer.findings] == [5]


def test_claims_and_answers_together_are_as_many_as_the_second_pass_can_judge() -> None:
    claim = {"file": "app.py", "line": 5, "quote": "values[:11]", "severity": "warn", "kind": "logic"}
    many = tuple(claim | {"message": f"Problem {number}."} for number in range(20))
    answer, _ = exchange(answered(NO, FREE, findings=many))
    assert len(answer.findings) == 20
    assert answer.exchange.discarded == {"more than 20": 1}


def test_questions_about_hunks_that_do_not_fit_are_omitted() -> None:
    complete_items = question_of(Plane.SEMANTIC)
    routed = route(Plane.SEMANTIC, [HUNK], {"app.py": ["python"]}, "functions", (BOUND,))
    found = attach_questions(replace(complete_items, hunks=()), routed)
    assert (found.narrow.placed, found.narrow.omitted, found.prompt) == ((), 1, complete_items.prompt)
