"""A claim is a finding only if the second pass, with a prompt of its own, does not refute it."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from tests.planes.language_model.loopback import (
    NOTHING,
    Behaviour,
    Endpoint,
    answers,
    claims,
    endpoint,
    hang,
    respond,
    verdicts,
)
from tests.planes.language_model.questions_factory import KEY, question_of, runner, settings
from wardround.findings import Plane
from wardround.planes.language_model.calls import run_all
from wardround.planes.language_model.exchange_runner import PlaneAnswer

TWO = claims(
    {"line": 4, "quote": "def limit(values)", "message": "It has no annotations."},
    {"line": 5, "quote": "values[:11]", "message": "It returns eleven values."},
)


def both_passes(
    first: Behaviour, second: Sequence[Behaviour] = (), timeout: float = 5.0
) -> tuple[PlaneAnswer, Endpoint]:
    with endpoint(first, second=second) as server:
        configured = settings(server.url, timeout=timeout)
        (answer,) = run_all(runner(configured), [question_of()], configured, KEY, lambda: False)
    return answer, server


def messages(answer: PlaneAnswer) -> list[str]:
    return [one.message.partition(" (")[0] for one in answer.findings]


def test_a_refuted_claim_is_no_finding_and_is_counted() -> None:
    answer, _ = both_passes(TWO, [verdicts("refuted", "upheld")])
    assert messages(answer) == ["It returns eleven values."]
    assert (answer.exchange.findings, answer.exchange.discarded) == (1, {"refuted": 1})
    assert [one.problem for one in answer.exchanges] == ["", ""]


def test_the_second_pass_gets_the_claims_and_the_same_evidence() -> None:
    _, server = both_passes(TWO)
    (request,) = server.refutations
    assert [(one["claim"], one["line"]) for one in request.input["claims"]] == [(1, 4), (2, 5)]
    assert request.input["evidence"] == server.received[0].input
    assert request.input["aspect"] == Plane.INTENT
    assert "Try to refute each claim" in request.document["messages"][0]["content"]


def test_without_claims_there_is_no_second_pass() -> None:
    answer, server = both_passes(NOTHING)
    assert (server.refutations, answer.refutation) == ([], None)


def test_a_claim_without_a_verdict_is_asked_for_again() -> None:
    answer, server = both_passes(TWO, [verdicts("upheld"), verdicts("upheld", "refuted")])
    assert len(server.refutations) == 2
    assert "no verdict on claim 2" in server.refutations[1].document["messages"][0]["content"]
    assert messages(answer) == ["It has no annotations."]


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        (verdicts("upheld"), "second pass: no verdict on claim 2"),
        (answers("Both claims are wrong."), "second pass: no verdict on claim 1, 2"),
        (respond(401), "second pass: status 401: the key is missing or wrong"),
        (hang, "second pass: timed out after 1 s"),
    ],
)
def test_claims_without_a_verdict_are_no_findings_and_the_plane_says_why(
    second: Behaviour, problem: str
) -> None:
    answer, _ = both_passes(TWO, [second], timeout=1.0)
    assert messages(answer) == (["It has no annotations."] if problem.endswith("claim 2") else [])
    assert answer.refutation is not None
    assert answer.refutation.problem == problem
    assert "without a verdict of the second pass" in answer.exchange.discarded


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"claims": [{"claim": 1, "verdict": "refuted"}, {"claim": 2, "verdict": "upheld"}]}\n```',
        '<think>{"claim": 2, "verdict": "refuted"}</think>{"claims": [{"claim": "1", "verdict": "refuted", '
        '"x": 1}, {"claim": 2, "verdict": "upheld"}, {"claim": 9, "verdict": "refuted"}, '
        '{"verdict": "maybe"}]}',
        '[{"claim": 1, "verdict": "refuted"}, {"claim": 2, "verdict": "refuted"}, '
        '{"claim": 2, "verdict": "upheld"}]',
    ],
    ids=["fence", "reasoning and other values", "two verdicts on one claim"],
)
def test_verdicts_are_read_leniently(text: str) -> None:
    answer, _ = both_passes(TWO, [answers(text)])
    assert messages(answer) == ["It returns eleven values."]


def test_secrets_in_a_claim_do_not_reach_the_second_pass() -> None:
    claim = {"line": 5, "quote": "values[:11]", "message": f"It logs {KEY}."}
    _, server = both_passes(claims(claim))
    assert KEY not in json.dumps(server.refutations[0].input)
