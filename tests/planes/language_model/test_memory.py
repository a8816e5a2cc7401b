"""Usable answers and rejected parameters of an endpoint are known to the next review."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.planes.language_model import loopback
from tests.planes.language_model.loopback import (
    NOTHING,
    Behaviour,
    Endpoint,
    Received,
    answers,
    claims,
    endpoint,
    respond,
)
from tests.planes.language_model.questions_factory import KEY, question_of, runner, settings
from wardround.findings import Plane
from wardround.planes.language_model import known_parameters
from wardround.planes.language_model.calls import run_all
from wardround.planes.language_model.endpoint_memory import memory_of
from wardround.planes.language_model.exchange_runner import PlaneAnswer
from wardround.planes.language_model.hunks import SentHunk
from wardround.storage.kv_cache import KeyValueCache

GOOD: dict[str, Any] = {"line": 5, "quote": "values[:11]", "message": "Eleven values are returned."}
OTHER = SentHunk("app.py", "app.py", ("5 +     return values[:11]",), {5: "    return values[:11]"})
DAY = 20_000


class Reviews:
    """Reviews of one user, whose state folder they share."""

    def __init__(self, folder: Path, server: Endpoint) -> None:
        self._file = folder / "state" / "answers.sqlite"
        self._server = server

    def review(
        self,
        *hunks: SentHunk,
        planes: Sequence[Plane] = (Plane.INTENT,),
        day: int = DAY,
        reuses_answers: bool = True,
        **values: Any,
    ) -> tuple[PlaneAnswer, ...]:
        configured = settings(self._server.url, **values)
        entries = KeyValueCache(self._file)
        memory = memory_of(configured, entries, day, reuses_answers=reuses_answers)
        questions = [question_of(plane, *hunks) for plane in planes]
        found = run_all(runner(configured), questions, configured, KEY, lambda: False, memory=memory)
        entries.close()
        return found


def test_a_second_review_sends_nothing_and_has_the_same_exchanges(tmp_path: Path) -> None:
    with endpoint(claims(GOOD)) as server:
        reviews = Reviews(tmp_path, server)
        (first,) = reviews.review()
        (second,) = reviews.review()
        assert (len(server.received), len(server.refutations)) == (1, 1)
    assert (first.exchange.is_cached, second.exchange.is_cached) == (False, True)
    assert second.refutation is not None
    assert second.refutation.is_cached
    assert second.findings == first.findings
    assert _comparable(second) == _comparable(first)


def _comparable(answer: PlaneAnswer) -> list[dict[str, Any]]:
    """The exchanges without the origin of the answer."""
    return [msgspec.to_builtins(exchange) | {"is_cached": None} for exchange in answer.exchanges]


@pytest.mark.parametrize("change", [{"seed": 7}, {"model": "other"}, {"max_tokens": 10}])
def test_another_request_is_sent(tmp_path: Path, change: dict[str, Any]) -> None:
    with endpoint(NOTHING) as server:
        reviews = Reviews(tmp_path, server)
        reviews.review()
        reviews.review(**change)
        assert len(server.received) == 2


def test_changed_content_is_sent(tmp_path: Path) -> None:
    with endpoint(NOTHING) as server:
        reviews = Reviews(tmp_path, server)
        reviews.review()
        reviews.review(OTHER)
        assert len(server.received) == 2


def test_another_endpoint_gets_its_own_requests(tmp_path: Path) -> None:
    with endpoint(NOTHING) as first, endpoint(NOTHING) as second:
        Reviews(tmp_path, first).review()
        Reviews(tmp_path, second).review()
        assert len(second.received) == 1


def test_a_review_without_the_answers_of_others_sends_again(tmp_path: Path) -> None:
    with endpoint(claims(GOOD)) as server:
        reviews = Reviews(tmp_path, server)
        reviews.review()
        (again,) = reviews.review(reuses_answers=False)
        assert len(server.received) == 2
    assert not again.exchange.is_cached


@pytest.mark.parametrize(
    "behaviour",
    [
        answers("I approve this change."),
        answers('{"findings": []}', finish_reason="length"),
        claims(GOOD | {"quote": "not in the change"}),
        answers(None, refusal="I cannot."),
        respond(401, b"{}"),
        respond(200, b"[]"),
    ],
)
def test_an_unusable_answer_is_not_kept(
    tmp_path: Path, behaviour: Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wardround.planes.language_model.sender._WAITS_S", ())
    with endpoint(behaviour) as server:
        reviews = Reviews(tmp_path, server)
        (first,) = reviews.review()
        (second,) = reviews.review()
        sent = [len(answer.exchange.requests) for answer in (first, second)]
        assert len(server.received) == sum(sent) == 2 * sent[0]
    assert second.exchange.problem != ""


def test_an_answer_with_a_secret_is_not_kept(tmp_path: Path) -> None:
    with endpoint(claims(GOOD | {"message": f"The key is {KEY}."})) as server:
        reviews = Reviews(tmp_path, server)
        reviews.review()
        reviews.review()
        assert len(server.received) == 2
    content = b"".join(file.read_bytes() for file in (tmp_path / "state").iterdir())
    assert KEY.encode() not in content


def test_the_file_is_private_and_a_damaged_one_costs_requests_only(tmp_path: Path) -> None:
    with endpoint(NOTHING) as server:
        reviews = Reviews(tmp_path, server)
        reviews.review()
        file = tmp_path / "state" / "answers.sqlite"
        assert (file.stat().st_mode & 0o077, file.parent.stat().st_mode & 0o077) == (0, 0)
        file.write_bytes(b"x" * 10_000)
        (answer,) = reviews.review()
        assert (answer.exchange.problem, len(server.received)) == ("", 2)


def refuses(*names: str) -> Behaviour:
    """An endpoint that rejects the first of these parameters in a request, and answers one without them."""

    def send(request: Received, connection: socket.socket) -> None:
        wrong = [name for name in names if name in request.document]
        body = json.dumps({"error": {"message": "", "param": wrong[0]}}) if wrong else ""
        (respond(400, body.encode()) if wrong else NOTHING)(request, connection)

    return send


def sent_parameters(server: Endpoint, name: str) -> int:
    return sum(name in request.document for request in server.received)


def test_a_refused_parameter_is_sent_once_by_all_planes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_parameters, "_REFUSAL_S", 60.0)
    with endpoint(refuses("temperature", "seed")) as server:
        reviews = Reviews(tmp_path, server)
        found = reviews.review(planes=tuple(Plane))
        assert (sent_parameters(server, "temperature"), sent_parameters(server, "seed")) == (1, 2)
    assert {answer.exchange.problem for answer in found} == {""}
    assert {answer.exchange.refused for answer in found} == {("temperature", "seed")}


def test_a_refused_parameter_is_not_sent_by_later_reviews(tmp_path: Path) -> None:
    with endpoint(refuses("temperature")) as server:
        reviews = Reviews(tmp_path, server)
        reviews.review()
        (answer,) = reviews.review(OTHER)
        assert sent_parameters(server, "temperature") == 1
        assert answer.exchange.refused == ("temperature",)
        reviews.review(OTHER, reuses_answers=False)
        assert (sent_parameters(server, "temperature"), len(server.received)) == (1, 4)


@pytest.mark.parametrize("change", [{"model": "other"}, {"day": DAY + 30}, {"day": DAY - 1}])
def test_a_refusal_counts_for_its_model_and_for_a_month(tmp_path: Path, change: dict[str, Any]) -> None:
    with endpoint(refuses("temperature")) as server:
        reviews = Reviews(tmp_path, server)
        reviews.review()
        reviews.review(OTHER, **change)
        assert sent_parameters(server, "temperature") == 2


def test_a_refusal_that_no_answer_confirms_is_not_remembered(tmp_path: Path) -> None:
    with endpoint(refuses("temperature", "messages")) as server:
        reviews = Reviews(tmp_path, server)
        reviews.review()
        reviews.review()
        assert sent_parameters(server, "temperature") == 2


def test_a_first_request_that_hangs_holds_up_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_parameters, "_REFUSAL_S", 0.05)
    others = threading.Semaphore(0)

    def hang_until_others(request: Received, connection: socket.socket) -> None:
        if request.plane == "intent":
            assert all(others.acquire(timeout=30) for _ in range(2))
        else:
            others.release()
        NOTHING(request, connection)

    with endpoint(hang_until_others) as server:
        found = Reviews(tmp_path, server).review(planes=(Plane.INTENT, Plane.PERF, Plane.TESTS), timeout=60.0)
    assert {answer.exchange.problem for answer in found} == {""}
    assert loopback.REFUTATION not in {request.plane for request in server.received}
