"""For any behaviour of an endpoint, a plane gets verified findings or the reason why there are none."""

from __future__ import annotations

import gzip
import json
import socket
from typing import Any

import pytest

from tests.planes.language_model import loopback
from tests.planes.language_model.loopback import (
    NOTHING,
    Behaviour,
    Received,
    answers,
    claims,
    completion,
    respond,
)
from tests.planes.language_model.questions_factory import KEY, exchange
from wardround.findings import Plane, Severity, Span
from wardround.planes.language_model import client, sender


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "_WAITS_S", (0.0, 0.01, 0.02))


GOOD: dict[str, Any] = {"line": 5, "quote": "values[:11]", "message": "Eleven values are returned."}


def test_a_claim_with_a_quote_of_an_added_line_is_a_finding() -> None:
    answer, server = exchange(claims(GOOD))
    (found,) = answer.findings
    assert (found.code, found.file, found.span) == ("intent", "app.py", Span(5, 12, 5, 23))
    assert found.message == "Eleven values are returned. (contradiction)"
    assert (found.severity, found.confidence) == (Severity.WARN, 0.5)
    assert len(server.received) == 1


def test_the_exchange_has_what_a_record_needs() -> None:
    answer, _ = exchange(claims(GOOD), seed=7)
    done = answer.exchange
    assert (done.plane, done.model, done.seed, done.served_model) == (
        Plane.INTENT,
        "test-model",
        7,
        "served-model",
    )
    assert (done.finish_reason, done.usage.prompt, done.usage.completion) == ("stop", 100, 7)
    assert (done.findings, done.discarded, done.problem) == (1, {}, "")
    assert json.loads(done.answer)["findings"][0]["quote"] == "values[:11]"
    assert all(digest.startswith("sha256:") for digest in (done.prompt, *done.requests, done.answer_digest))


def test_a_request_is_deterministic_and_has_the_key_in_its_header_only() -> None:
    _, first = exchange(NOTHING, seed=7)
    _, second = exchange(NOTHING, seed=7)
    (request,) = first.received
    assert request.body == second.received[0].body
    assert (request.document["temperature"], request.document["seed"]) == (0, 7)
    assert request.document["response_format"]["type"] == "json_schema"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert KEY.encode() not in request.body


def test_nothing_to_report_is_a_usable_answer() -> None:
    answer, _ = exchange(NOTHING)
    assert (answer.findings, answer.exchange.problem) == ((), "")


UNUSABLE: dict[str, tuple[Behaviour, str]] = {
    "another schema": (answers('{"issues": []}'), "the answer does not match the output schema"),
    "an unknown kind": (claims(GOOD | {"kind": "x"}), "the answer does not match the output schema"),
    "no JSON": (answers("I approve this change."), "the answer is not JSON"),
    "truncated JSON": (answers('{"findings": [{"file": "a'), "the answer is not JSON"),
    "deep JSON": (answers("[" * 100_000), "the answer is not JSON"),
    "an empty text": (answers(""), "the answer is empty"),
    "no text": (answers(None), "the answer is empty"),
    "a refusal": (answers(None, refusal="I cannot."), "the model refused"),
    "a filter": (answers("", finish_reason="content_filter"), "the answer was filtered"),
    "the limit": (
        answers('{"findings": []}', finish_reason="length"),
        "the answer is cut off; raise max-tokens",
    ),
    "reasoning up to the limit": (
        answers(None, finish_reason="length", reasoning_content="Let me see"),
        "the model reached the limit while reasoning; raise max-tokens",
    ),
    "reasoning up to the limit in the text": (
        answers('<think>Is {"findings": [] right', finish_reason="length"),
        "the model reached the limit while reasoning; raise max-tokens",
    ),
    "reasoning alone": (
        answers("", reasoning="It is fine."),
        "the model returned its reasoning and no answer",
    ),
    "no choices": (respond(200, completion("", choices=[])), "the answer has no choices"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_unusable_answer_is_requested_once_more(name: str) -> None:
    behaviour, problem = UNUSABLE[name]
    answer, server = exchange(behaviour, NOTHING)
    assert answer.exchange.problem == ""
    first, second = server.received
    assert first.document["messages"][1] == second.document["messages"][1]
    assert problem in second.document["messages"][0]["content"]
    assert len(answer.exchange.requests) == 2


@pytest.mark.parametrize("name", UNUSABLE)
def test_two_unusable_answers_are_no_answer(name: str) -> None:
    behaviour, problem = UNUSABLE[name]
    answer, server = exchange(behaviour, behaviour, NOTHING)
    assert (answer.findings, answer.exchange.problem) == ((), problem)
    assert len(server.received) == 2


def test_thousands_of_claims_are_cut_and_counted() -> None:
    answer, server = exchange(claims(*[GOOD] * 3000))
    assert (len(answer.findings), len(server.received)) == (1, 1)
    assert answer.exchange.discarded == {"more than 20": 2980, "repeated": 19}


@pytest.mark.parametrize("finish", ["length", "content_filter", "stop"])
def test_the_complete_claims_of_an_answer_that_is_cut_off_are_findings(finish: str) -> None:
    text = json.dumps({"findings": [loopback.claim(**GOOD), loopback.claim(**GOOD)]})[:-40]
    answer, _ = exchange(answers(text, finish_reason=finish))
    assert [finding.message for finding in answer.findings] == ["Eleven values are returned. (contradiction)"]
    assert answer.exchange.problem.startswith("the answer ")


def test_a_second_answer_takes_back_no_claim_of_the_first() -> None:
    text = json.dumps({"findings": [loopback.claim(**GOOD), loopback.claim(**GOOD)]})[:-40]
    answer, _ = exchange(answers(text, finish_reason="length"), NOTHING)
    assert [finding.message for finding in answer.findings] == ["Eleven values are returned. (contradiction)"]
    assert answer.exchange.problem == ""


def test_of_two_answers_the_most_severe_claims_are_retained() -> None:
    notes = [loopback.claim(**GOOD, severity="info") | {"message": f"Note {n}."} for n in range(20)]
    cut_off = answers(json.dumps({"findings": notes}), finish_reason="length")
    answer, server = exchange(cut_off, claims(GOOD))
    assert len(server.refutations[0].input["claims"]) == len(answer.findings) == 20
    assert "Eleven values are returned. (contradiction)" in [finding.message for finding in answer.findings]
    assert answer.exchange.discarded == {"more than 20": 1}


@pytest.mark.parametrize(
    ("status", "problem"),
    [
        (401, "status 401: the key is missing or wrong"),
        (403, "status 403: the key is missing or wrong"),
        (404, "status 404: there is no such model or address"),
        (302, "status 302: redirects are refused; configure the final address"),
        (418, "status 418"),
        (204, "status 204"),
    ],
)
def test_a_refused_request_is_not_repeated(status: int, problem: str) -> None:
    answer, server = exchange(respond(status, b"{}", {"Location": "http://127.0.0.1:1/"}))
    assert (answer.exchange.problem, len(server.received)) == (problem, 1)


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_failure_that_may_pass_is_repeated_three_times(status: int) -> None:
    failure = respond(status, b"{}", {"Retry-After": "0"})
    answer, server = exchange(failure, failure, failure, NOTHING)
    assert (answer.exchange.problem, len(server.received)) == ("", 4)
    answer, server = exchange(failure)
    assert (answer.exchange.problem, len(server.received)) == (f"status {status}", 4)


def test_a_date_to_retry_after_is_compared_with_the_time_of_the_endpoint() -> None:
    headers = {"Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}
    answer, server = exchange(respond(429, b"{}", headers), NOTHING)
    assert (answer.exchange.problem, len(server.received)) == ("", 2)
    late = headers | {"Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT"}
    answer, server = exchange(respond(429, b"{}", late), NOTHING)
    assert (answer.exchange.problem, len(server.received)) == ("status 429", 1)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0),
        ("-1", 0.0),
        ("", None),
        ("nan", None),
        ("soon", None),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 70.0),
        ("Thu, 01 Jan 1970 00:00:10 GMT", 0.0),
        ("Thu, 01 Jan 99999 00:00:00 GMT", None),
    ],
)
def test_seconds_until_a_retry(header: str, seconds: float | None) -> None:
    assert client.seconds_until(header, "", 30.0) == seconds


@pytest.mark.parametrize("wait", ["3600", "inf", "1e999"])
def test_a_long_wait_ends_the_exchange(wait: str) -> None:
    answer, server = exchange(respond(429, b"{}", {"Retry-After": wait}), NOTHING)
    assert (answer.exchange.problem, len(server.received)) == ("status 429", 1)


@pytest.mark.parametrize("status", [400, 422])
def test_an_endpoint_without_output_schemas_gets_a_request_without_one(status: int) -> None:
    answer, server = exchange(respond(status, b"{}"), claims(GOOD))
    assert [item.document["response_format"]["type"] for item in server.received] == [
        "json_schema",
        "json_object",
    ]
    assert len(answer.findings) == 1


def refuses(*names: str, form: str = '{{"error": {{"message": "Unsupported parameter: {0}"}}}}') -> Behaviour:
    """An endpoint that rejects the first of these parameters in a request, and answers one without them."""

    def send(request: Received, connection: socket.socket) -> None:
        sent = request.document
        format_name = sent.get("response_format", {}).get("type", "")
        wrong = [name for name in names if name in sent or name == format_name]
        body = form.format(wrong[0] if wrong else "").encode()
        (respond(400, body) if wrong else claims(GOOD))(request, connection)

    return send


@pytest.mark.parametrize(
    ("names", "refused", "absent"),
    [
        (("temperature",), ("temperature",), {"temperature"}),
        (("seed",), ("seed",), {"seed"}),
        (("max_completion_tokens",), ("max_completion_tokens",), {"max_completion_tokens"}),
        (("response_format",), ("response_format", "response_format"), {"response_format"}),
        (("json_schema",), ("response_format",), set()),
        (
            ("temperature", "max_completion_tokens", "seed"),
            ("temperature", "max_completion_tokens", "seed"),
            {"temperature", "max_completion_tokens", "seed"},
        ),
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        '{{"error": {{"message": "Unsupported parameter: {0}"}}}}',
        '{{"error": {{"message": "Not supported, not even seed.", "param": "{0}"}}}}',
        '{{"detail": [{{"loc": ["body", "{0}"]}}]}}',
        "{0} is not supported by this model",
    ],
)
def test_a_parameter_that_is_rejected_by_name_is_not_sent_again(
    names: tuple[str, ...], refused: tuple[str, ...], absent: set[str], form: str
) -> None:
    answer, server = exchange(refuses(*names, form=form))
    assert (len(answer.findings), answer.exchange.problem) == (1, "")
    assert answer.exchange.refused == refused
    last = server.received[-1].document
    assert not absent & last.keys()
    assert {"max_tokens", "max_completion_tokens"} & last.keys()
    assert len(answer.exchange.requests) == len(server.received) == len(refused) + 1


def test_a_parameter_without_another_form_ends_the_exchange() -> None:
    answer, server = exchange(refuses("max_tokens", "max_completion_tokens"))
    assert answer.exchange.problem == "status 400: the request was refused; check the model and its limits"
    assert len(server.received) == 2


def test_a_request_that_is_rejected_in_both_forms_is_not_repeated() -> None:
    answer, server = exchange(respond(400, b'{"error": {"message": "secret"}}'))
    assert answer.exchange.problem == "status 400: the request was refused; check the model and its limits"
    assert len(server.received) == 2


@pytest.mark.parametrize("behaviour", [loopback.hang, loopback.slow_headers, loopback.slow_body])
def test_a_slow_endpoint_times_out(behaviour: Behaviour) -> None:
    answer, _ = exchange(behaviour, timeout=0.3)
    assert answer.exchange.problem == "timed out after 0.3 s"


def test_an_endless_response_is_given_up() -> None:
    answer, _ = exchange(loopback.endless_body)
    assert answer.exchange.problem == f"the response has more than {client.MOST_BYTES} bytes"


def test_a_compressed_response_is_not_expanded() -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    answer, server = exchange(respond(200, bomb, {"Content-Encoding": "gzip"}))
    assert answer.exchange.problem == "the response is compressed, which was not accepted"
    assert server.received[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("behaviour", [loopback.reset, loopback.truncated_body])
def test_a_broken_connection_is_tried_again(behaviour: Behaviour) -> None:
    answer, server = exchange(behaviour, NOTHING)
    assert (answer.exchange.problem, len(server.received)) == ("", 2)
    answer, server = exchange(behaviour)
    assert answer.exchange.problem.startswith("the endpoint cannot be reached (")
    assert len(server.received) == 4


@pytest.mark.parametrize("kind", ["text/html", "application/jsonx", ""])
def test_a_response_of_another_type_is_rejected(kind: str) -> None:
    answer, _ = exchange(respond(200, completion('{"findings": []}'), kind=kind))
    assert answer.exchange.problem == "the response is not JSON; check the address"


@pytest.mark.parametrize("body", [b"", b"null", b"{}", b'{"choices": 1}', b"\xff", b'{"x":' + b"[" * 100_000])
def test_a_response_that_is_not_a_completion_is_not_a_answer(body: bytes) -> None:
    answer, _ = exchange(respond(200, body))
    assert answer.exchange.problem == "the response is not a chat completion"


def test_a_cancelled_review_ends_the_calls() -> None:
    answer, _ = exchange(loopback.hang, is_cancelled=lambda: True)
    assert answer.exchange.problem == "the review was cancelled"


def test_an_echo_of_the_key_and_of_a_secret_is_not_recorded() -> None:
    token = "ghp_" + "a1B2" * 9
    found = GOOD | {"message": f"The key is {KEY} and {token}."}
    answer, _ = exchange(claims(found))
    text = f"{answer.exchange} {answer.findings}"
    assert len(answer.findings) == 1
    assert KEY not in text
    assert token not in text


def test_an_error_page_with_the_key_is_not_recorded() -> None:
    answer, _ = exchange(respond(401, f'{{"error": "{KEY}"}}'.encode()))
    assert KEY not in str(answer.exchange)


@pytest.mark.parametrize("number", [-1, 2**53, 10**30])
def test_impossible_counts_do_not_break_the_record(number: int) -> None:
    answer, _ = exchange(
        answers('{"findings": []}', usage={"prompt_tokens": number, "completion_tokens": number})
    )
    assert answer.exchange.problem in ("", "the response is not a chat completion")
    assert 0 <= answer.exchange.usage.prompt <= 2**31
