"""An endpoint on loopback that checks every request against the published description, and can misbehave."""

from __future__ import annotations

import json
import socket
import socketserver
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import jsonschema

from tests.planes.language_model.chat_request import REQUEST

REFUTATION = "refutation"
Behaviour = Callable[["Received", socket.socket], None]
"""Sends a response, or something else, to one request."""


@dataclass(frozen=True)
class Received:
    """One request."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def input(self) -> dict[str, Any]:
        """The input of the plane, in the last message."""
        found: dict[str, Any] = json.loads(self.document["messages"][-1]["content"])
        return found

    @property
    def plane(self) -> str:
        text: str = self.document["messages"][0]["content"]
        return text.removeprefix("# ").partition(",")[0]


@dataclass
class Endpoint:
    """The server with the requests it received, those of the second pass apart."""

    url: str
    received: list[Received] = field(default_factory=list)
    refutations: list[Received] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    open_connections: list[socket.socket] = field(default_factory=list)
    most_open_requests: int = 0

    def requests(self, plane: str) -> list[Received]:
        return [item for item in self.received if item.plane == plane]


@contextmanager
def endpoint(
    *behaviours: Behaviour, tls: ssl.SSLContext | None = None, second: Sequence[Behaviour] = ()
) -> Iterator[Endpoint]:
    """Serve on loopback: each plane gets the behaviours in their order, then the last one repeatedly.

    A request that does not match the description is an error of the test.

    Args:
        tls: encrypts the connections.
        second: the behaviours in the second pass, in their order; by default every claim is upheld.
    """

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            connection = self.request if tls is None else tls.wrap_socket(self.request, server_side=True)
            with connection:
                request = _read(connection)
                if request is not None:
                    answer(request, connection)

    def answer(request: Received, connection: socket.socket) -> None:
        is_second = request.plane == REFUTATION
        chosen = (second or (uphold,)) if is_second else behaviours
        with lock:
            (found.refutations if is_second else found.received).append(request)
            found.violations.extend(_violations(request))
            number = len(found.refutations) if is_second else len(found.requests(request.plane))
            waiting = [other for other in found.open_connections if not _was_closed(other)]
            found.most_open_requests = max(found.most_open_requests, len(waiting) + 1)
            found.open_connections.append(connection)
        try:
            chosen[min(number - 1, len(chosen) - 1)](request, connection)
        finally:
            with lock:
                found.open_connections.remove(connection)

    lock = threading.Lock()
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    scheme = "http" if tls is None else "https"
    found = Endpoint(f"{scheme}://127.0.0.1:{server.server_address[1]}/v1")
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that hang up are expected
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
    assert found.violations == []


def _was_closed(connection: socket.socket) -> bool:
    """Return True if the client has closed: the thread of the request may not have noticed yet."""
    try:
        # the method of the class below: an encrypted socket takes no flags
        return socket.socket.recv(connection, 1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _read(connection: socket.socket) -> Received | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65536)
    method, path, _ = first.split(" ")
    return Received(method, path, headers, body)


def _violations(request: Received) -> Iterator[str]:
    if (request.method, request.path) != ("POST", "/v1/chat/completions"):
        yield f"{request.method} {request.path}"
    if request.headers.get("content-type") != "application/json":
        yield "content type"
    validator = jsonschema.Draft202012Validator(REQUEST)
    yield from (error.message for error in validator.iter_errors(request.document))


def respond(
    status: int,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    kind: str = "application/json",
) -> Behaviour:
    """Return a complete response."""
    fields = {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
    fields |= headers or {}

    def send(_: Received, connection: socket.socket) -> None:
        lines = [f"HTTP/1.1 {status} Status", *(f"{name}: {value}" for name, value in fields.items())]
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    return send


def completion(content: str | None, **values: Any) -> bytes:
    """Return a completion with one choice."""
    message = {"role": "assistant", "content": content, "refusal": values.pop("refusal", None)}
    message |= {name: values.pop(name) for name in ("reasoning_content", "reasoning") if name in values}
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": values.pop("finish_reason", "stop"),
        "logprobs": None,
    }
    document = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "choices": [choice],
        "usage": {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107},
    }
    return json.dumps(document | values).encode()


def answers(content: str | None, **values: Any) -> Behaviour:
    """Complete with this text."""
    return respond(200, completion(content, **values))


def events(*parts: str, end: str = "stop", field: str = "content") -> bytes:
    """Return the events of a stream with these parts of a text, and without an end if that is empty."""
    deltas: list[tuple[dict[str, str], str | None]] = [({"role": "assistant", "content": ""}, None)]
    deltas += [({field: part}, None) for part in parts]
    deltas += [({}, end)] if end else []
    chunks = [
        {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "served-model",
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}],
        }
        for delta, reason in deltas
    ]
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + (["data: [DONE]\n\n"] if end else [])
    return ": a comment\n\n".join(lines).encode()


def streams(*parts: str, end: str = "stop", field: str = "content") -> Behaviour:
    """Complete with a stream, whose connection is closed after the last event."""
    body = events(*parts, end=end, field=field)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"

    def send(_: Received, connection: socket.socket) -> None:
        for offset in range(0, len(body), 50):
            connection.sendall((head if not offset else b"") + body[offset : offset + 50])

    return send


def verdicts(*found: str) -> Behaviour:
    """Complete with a verdict on each claim, in their order."""
    claims = [
        {"claim": number, "verdict": verdict, "reason": "The line shows it.", "quote": ""}
        for number, verdict in enumerate(found, 1)
    ]
    return answers(json.dumps({"claims": claims}))


def uphold(request: Received, connection: socket.socket) -> None:
    """Refute no claim."""
    verdicts(*("upheld" for _ in request.input["claims"]))(request, connection)


def claims(*found: Mapping[str, Any]) -> Behaviour:
    """Complete with findings, each with the values that it does not have."""
    return answers(json.dumps({"findings": [claim(**item) for item in found]}))


def claim(**values: Any) -> dict[str, Any]:
    """One finding of a model about the intent plane."""
    return {
        "file": "app.py",
        "line": 1,
        "quote": "",
        "severity": "warn",
        "message": "It does something else.",
        "kind": "contradiction",
    } | values


def by_plane(others: Behaviour, **planes: Behaviour) -> Behaviour:
    """Behave differently for some planes."""

    def send(request: Received, connection: socket.socket) -> None:
        planes.get(request.plane, others)(request, connection)

    return send


NOTHING = answers('{"findings": []}')
"""Report nothing; questions about single lines are skipped."""


def open_answers(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Leave each question about a single line in the input open."""
    return [
        {"question": question["question"], "answer": "unclear", "quote": "", "message": ""}
        for question in document.get("questions", ())
    ]


def nothing_found(request: Received, connection: socket.socket) -> None:
    """Report nothing, and leave each question open."""
    document = {"findings": [], "answers": open_answers(request.input)}
    answers(json.dumps(document))(request, connection)


def reset(_: Received, connection: socket.socket) -> None:
    """Reset the connection instead of a response."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def hang(_: Received, connection: socket.socket) -> None:
    """Send nothing until the client closes."""
    connection.recv(1)


def slow_headers(_: Received, connection: socket.socket) -> None:
    """Send the headers byte by byte, and never all of them."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    _drip(connection, [b"X-A: b\r\n"])


def slow_body(_: Received, connection: socket.socket) -> None:
    """Send a body that never ends, slowly."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
    _drip(connection, [b" "])


def endless_body(_: Received, connection: socket.socket) -> None:
    """Send a body that never ends, as fast as possible."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    while True:
        connection.sendall(b" " * 65536)


def truncated_body(_: Received, connection: socket.socket) -> None:
    """Close the connection in the middle of the body."""
    body = completion('{"findings": []}')
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body[: len(body) // 2])


def _drip(connection: socket.socket, parts: Sequence[bytes]) -> None:
    while not _is_closed(connection):
        for part in parts:
            connection.sendall(part)


def _is_closed(connection: socket.socket) -> bool:
    connection.settimeout(0.02)
    try:
        return not connection.recv(1)
    except TimeoutError:
        return False
