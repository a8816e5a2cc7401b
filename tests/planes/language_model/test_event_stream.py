"""Endpoints that answer with a stream of events, requested or not."""

from __future__ import annotations

import json
import socket

import pytest

from tests.planes.language_model import loopback
from tests.planes.language_model.loopback import (
    NOTHING,
    Behaviour,
    Received,
    claim,
    completion,
    respond,
    streams,
)
from tests.planes.language_model.questions_factory import exchange
from wardround.planes.language_model import sender
from wardround.planes.language_model.endpoint import EndpointError
from wardround.planes.language_model.event_stream import (
    MOST_EVENT_BYTES,
    MOST_STREAM_BYTES,
    MOST_TEXT,
    JoinedStream,
)

FOUND = claim(line=5, quote="values[:11]", message="Eleven válues are returned.")
TEXT = json.dumps({"findings": [FOUND]}, ensure_ascii=False)
PARTS = [TEXT[start : start + 7] for start in range(0, len(TEXT), 7)]
STREAM = "text/event-stream"


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "_WAITS_S", (0.0,))


def test_a_stream_is_joined_into_one_answer() -> None:
    answer, server = exchange(streams(*PARTS))
    assert [finding.message for finding in answer.findings] == ["Eleven válues are returned. (contradiction)"]
    assert (answer.exchange.finish_reason, answer.exchange.served_model) == ("stop", "served-model")
    assert (answer.exchange.answer, answer.exchange.problem) == (TEXT, "")
    assert "stream" not in server.received[0].document


def needs_streams(body: bytes) -> Behaviour:
    """An endpoint that rejects every request for anything but a stream."""

    def send(request: Received, connection: socket.socket) -> None:
        is_stream = request.document.get("stream") is True
        (streams(*PARTS) if is_stream else respond(400, body))(request, connection)

    return send


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"message": "This model only supports streaming.", "param": null}}',
        b'{"error": {"message": "Invalid value", "param": "stream"}}',
        b'{"detail": "stream must be set to true"}',
    ],
)
def test_a_stream_is_requested_from_an_endpoint_that_returns_no_other(body: bytes) -> None:
    answer, server = exchange(needs_streams(body))
    assert (len(answer.findings), answer.exchange.problem) == (1, "")
    assert answer.exchange.refused == ("stream",)
    assert [request.document.get("stream") for request in server.received] == [None, True]


def test_a_stream_that_is_cut_off_is_requested_once_more_and_counts_as_incomplete() -> None:
    two = json.dumps({"findings": [FOUND, FOUND]})[:-40]
    answer, server = exchange(streams(two, end=""))
    assert len(answer.findings) == 1
    assert answer.exchange.problem == "the answer is cut off, because its stream was interrupted"
    assert answer.exchange.finish_reason == "incomplete"
    assert len(server.received) == 2
    answer, _ = exchange(streams(two, end=""), streams(TEXT))
    assert (len(answer.findings), answer.exchange.problem) == (1, "")


def chunked(body: bytes) -> Behaviour:
    """Reset the connection after a part of a body in chunks."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {STREAM}\r\nTransfer-Encoding: chunked\r\n\r\n"

    def send(request: Received, connection: socket.socket) -> None:
        connection.sendall(head.encode() + f"{len(body):x}\r\n".encode() + body + b"\r\n")

    return send


def test_a_broken_connection_leaves_the_part_that_arrived() -> None:
    two = json.dumps({"findings": [FOUND, FOUND]})[:-40]
    answer, _ = exchange(chunked(loopback.events(two, end="")))
    assert len(answer.findings) == 1
    assert answer.exchange.problem == "the answer is cut off, because its stream was interrupted"
    answer, server = exchange(chunked(b": nothing yet\n\n"), NOTHING)
    assert (answer.exchange.problem, len(server.received)) == ("", 2)


def test_a_stream_up_to_the_limit_is_cut_off() -> None:
    answer, _ = exchange(streams(*PARTS[:-4], end="length"))
    assert answer.exchange.problem == "the answer is cut off; raise max-tokens"
    answer, _ = exchange(streams("Let me see", end="length", field="reasoning_content"))
    assert answer.exchange.problem == ("the model reached the limit while reasoning; raise max-tokens")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (completion("{}"), "the response is not a chat completion"),
        (b"", "the response is not a chat completion"),
        (b"data: {\n\n", "the response is not a chat completion"),
        (b'data: {"choices": [1]}\n\n', "the response is not a chat completion"),
        (b"data: [DONE]\n\n", "the response is not a chat completion"),
        (b'data: {"error": {"message": "secret"}}\n\n', "the endpoint reports an error in its stream"),
    ],
)
def test_a_stream_of_something_else_is_not_a_answer(body: bytes, problem: str) -> None:
    answer, server = exchange(respond(200, body, kind=STREAM))
    assert (answer.exchange.problem, len(server.received)) == (problem, 2)


def test_the_last_event_counts_without_waiting_for_the_end_of_the_connection() -> None:
    def send(request: Received, connection: socket.socket) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {STREAM}\r\n\r\n"
        connection.sendall(head.encode() + loopback.events(TEXT))
        loopback.hang(request, connection)

    answer, _ = exchange(send, timeout=60.0)
    assert (len(answer.findings), answer.exchange.problem) == (1, "")


def test_a_slow_stream_ends_with_the_time_of_the_pass() -> None:
    def send(request: Received, connection: socket.socket) -> None:
        streams(*PARTS[:3], end="")(request, connection)
        loopback.hang(request, connection)

    answer, _ = exchange(send, timeout=0.3)
    assert answer.exchange.problem == "timed out after 0.3 s"


@pytest.mark.parametrize(
    ("part", "limit"),
    [
        (b": x\n" * 25_000, MOST_STREAM_BYTES),
        (b"x" * 1000, MOST_EVENT_BYTES),
        (loopback.events("x" * 20_000, end=""), MOST_TEXT),
    ],
)
def test_a_stream_is_bounded(part: bytes, limit: int) -> None:
    def read() -> None:
        stream = JoinedStream()
        for _ in range(limit // 1000 + 1):
            stream.add(part)

    with pytest.raises(EndpointError, match=f"has more than {limit} "):
        read()
