"""A ticket service on loopback whose behavior a test defines, and which records its requests."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec


@dataclass(frozen=True)
class Received:
    """A request as the server received it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Responder(BaseHTTPRequestHandler):
    """The open response; a behavior may write anything to it."""

    protocol_version = "HTTP/1.1"
    service: Service

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.service.received.append(Received(self.command, self.path, headers, self.rfile.read(length)))
        behaviors = self.service.behaviors
        behavior = behaviors.pop(0) if len(behaviors) > 1 else behaviors[0]
        try:
            behavior(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_POST = do_GET  # noqa: N815 - the name that the server calls

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""

    def send(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, kind: str = "application/json"
    ) -> None:
        """Send a complete response."""
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


Behavior = Callable[[Responder], None]


@dataclass
class Service:
    """A running server. The last behavior is used for all further requests.

    Attributes:
        stopping: set when the test ends, so that a slow behavior ends too.
    """

    behaviors: list[Behavior]
    received: list[Received] = field(default_factory=list)
    url: str = ""
    stopping: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving(*behaviors: Behavior, certificate: Path | None = None) -> Iterator[Service]:
    """Run a server with these behaviors, one per request; with TLS if there is a certificate with its key."""
    service = Service(list(behaviors))
    handler = type("Handler", (Responder,), {"service": service})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    if certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate)
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    service.url = f"{'https' if certificate else 'http'}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield service
    finally:
        service.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


def json_of(value: object, status: int = 200, **headers: str) -> Behavior:
    """A JSON response; underscores in the names of headers are hyphens."""
    fields = {name.replace("_", "-"): text for name, text in headers.items()}
    return lambda response: response.send(status, msgspec.json.encode(value), fields)


def status_of(status: int, **headers: str) -> Behavior:
    """A response without a useful body."""
    return json_of({"message": "no"}, status, **headers)
