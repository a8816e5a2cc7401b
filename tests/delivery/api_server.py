"""A server on loopback that stands in for the interface of a code host, and fails as one does.

A route states the schema of its body as the host's published description does, so a request that the host
would reject is rejected here, too.
"""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import jsonschema


@dataclass(frozen=True)
class Call:
    """A request as a route gets it."""

    method: str
    path: str
    values: Mapping[str, str]
    query: Mapping[str, str]
    body: Any
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Reply:
    """A response; ``following`` is the query of the next page."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


Handle = Callable[[Call], Reply]


@dataclass(frozen=True)
class Route:
    """A path with names in braces; a value may contain slashes only if they are escaped."""

    method: str
    template: str
    handle: Handle
    schema: Mapping[str, Any] | None = None

    def match(self, method: str, path: str) -> Mapping[str, str] | None:
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(self.template))
        found = re.fullmatch(pattern, path) if method == self.method else None
        return None if found is None else {name: unquote(value) for name, value in found.groupdict().items()}


@dataclass
class Fault:
    """A failure of the next requests whose method and path match.

    ``reply`` is sent instead of handling the request; without it, the connection is closed: after the
    request was handled if ``is_handled``, else before.
    """

    method: str
    path: str
    reply: Reply | None = None
    is_handled: bool = False
    times: int = 1

    def applies(self, method: str, path: str) -> bool:
        return self.times > 0 and method == self.method and re.search(self.path, path) is not None


class ApiServer:
    """Routes of a host on a port of loopback. ``calls`` are the requests that were handled.

    Args:
        invalid: the status of the response to a body that does not match the schema.
    """

    def __init__(
        self, routes: Sequence[Route], token: str, authorization: str = "Bearer {}", invalid: int = 422
    ) -> None:
        self.routes = tuple(routes)
        self.faults: list[Fault] = []
        self.calls: list[Call] = []
        self.before: Callable[[str, str], Reply | None] = lambda method, path: None
        self._header = "PRIVATE-TOKEN" if authorization == "PRIVATE-TOKEN" else "Authorization"
        self._secret = token if self._header == "PRIVATE-TOKEN" else authorization.format(token)
        self._lock = threading.Lock()
        self._invalid = invalid
        self.url = ""

    @contextmanager
    def serve(self) -> Iterator[str]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 65_536  # one packet for a response: two would wait for an acknowledgement

            def log_message(self, *values: Any) -> None:
                pass

            def _respond(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                reply = outer.respond(self.command, self.path, dict(self.headers), self.rfile.read(length))
                if reply is None:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                content = b"" if reply.body is None else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _respond  # noqa: N815

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield self.url
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def respond(self, method: str, target: str, headers: Mapping[str, str], content: bytes) -> Reply | None:
        """Return the reply to a request; None closes the connection."""
        parts = urlsplit(target)
        fault = next((fault for fault in self.faults if fault.applies(method, parts.path)), None)
        if fault is not None:
            fault.times -= 1
            if not fault.is_handled:
                return fault.reply
        given = {name.lower(): value for name, value in headers.items()}
        if given.get(self._header.lower()) != self._secret:
            return Reply(401, {"message": "Bad credentials"})
        limited = self.before(method, parts.path)
        if limited is not None:
            return limited
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        reply = self._handle(method, parts.path, query, given, content)
        return None if fault is not None else reply

    def _handle(
        self, method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], content: bytes
    ) -> Reply:
        for route in self.routes:
            values = route.match(method, path)
            if values is None:
                continue
            body = json.loads(content) if content else None
            if route.schema is not None:
                faults = list(jsonschema.Draft202012Validator(route.schema).iter_errors(body))
                if faults:
                    text = faults[0].message
                    return Reply(self._invalid, {"message": "Validation Failed", "errors": [text]})
            with self._lock:  # a host serializes what changes one change request
                call = Call(method, path, values, query, body, headers)
                self.calls.append(call)
                return route.handle(call)
        return Reply(404, {"message": "Not Found"})

    def page(self, call: Call, elements: Sequence[Any]) -> Reply:
        """Return one page of a list, with the address of the next one."""
        size, number = int(call.query.get("per_page", 30)), int(call.query.get("page", 1))
        assert size <= 100
        rest = elements[number * size :]
        following = f"{self.url}{call.path}?per_page={size}&page={number + 1}"
        headers = {"Link": f'<{following}>; rel="next"'} if rest else {}
        return Reply(200, list(elements[(number - 1) * size : number * size]), headers)
