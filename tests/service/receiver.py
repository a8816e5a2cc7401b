"""A receiver of webhooks on loopback, which answers as a test demands and verifies signatures by itself."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec

SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()


class Received(msgspec.Struct, frozen=True):
    """A request that arrived."""

    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def message(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.body)
        return value

    def is_signed(self, secret: str = SECRET) -> bool:
        """Verify as the specification of Standard Webhooks describes it."""
        content = f"{self.id}.{self.headers['webhook-timestamp']}.".encode() + self.body
        key = base64.b64decode(secret.removeprefix("whsec_"))
        expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
        return f"v1,{expected}" in self.headers["webhook-signature"].split(" ")


class WebhookReceiver:
    """Answers with the given statuses in turn, and with 204 after them."""

    def __init__(self, statuses: list[int]) -> None:
        self.statuses = statuses
        self.received: list[Received] = []
        self.lock = threading.Lock()
        self.address = ""

    @property
    def url(self) -> str:
        return f"http://{self.address}/hook"

    def answer(self, received: Received) -> int:
        with self.lock:
            self.received.append(received)
            return self.statuses.pop(0) if self.statuses else 204


@contextmanager
def receiver(*statuses: int) -> Iterator[WebhookReceiver]:
    """Run a receiver."""
    found = WebhookReceiver(list(statuses))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status = found.answer(Received(headers, body))
            self.send_response(status)
            if status in (301, 307):
                self.send_header("Location", found.url)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.address = f"127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
