"""A decoder as an endpoint on loopback, with the part of OpenAI's API that clients of chat completions use.

It serves ``POST /v1/chat/completions`` and ``GET /v1/models``. Only this machine can connect, and no page in
a browser can: a request has to be JSON, and to name a loopback address.
"""

from __future__ import annotations

import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec

from wardround.errors import ModelError
from wardround.models.completions import RequestRefused, complete
from wardround.models.decoder import Decoder

LOOPBACK = "127.0.0.1"
_HOSTS = frozenset({"127.0.0.1", "localhost"})
_LARGEST_REQUEST = 16 * 1024 * 1024
_JSON = "application/json"


class DecoderServer(ThreadingHTTPServer):
    """Serves one decoder, one answer at a time.

    Args:
        name: the name that clients give to the model.
        identity: the one that answers name, with the digest.
        port: 0 for any free one.
        timeout_s: seconds for an answer; a longer one is cut off.
    """

    daemon_threads = True

    def __init__(self, decoder: Decoder, name: str, identity: str, port: int, timeout_s: float) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.decoder = decoder
        self.name = name
        self.identity = identity
        self.timeout_s = timeout_s

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return f"http://{LOOPBACK}:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: DecoderServer

    def do_GET(self) -> None:
        """Answer a request for the list of models."""
        if not self._is_from_here():
            return
        if self.path != "/v1/models":
            self._refuse(HTTPStatus.NOT_FOUND, "path", "there is no such address; use /v1/models")
            return
        model = {"id": self.server.name, "object": "model", "created": 0, "owned_by": "wardround"}
        self._send(HTTPStatus.OK, {"object": "list", "data": [model]})

    def do_POST(self) -> None:
        """Answer a request for a chat completion."""
        if not self._is_from_here():
            return
        if self.path != "/v1/chat/completions":
            self._refuse(HTTPStatus.NOT_FOUND, "path", "there is no such address; use /v1/chat/completions")
            return
        body = self._body()
        if body is not None:
            self._complete(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: requests contain source code."""

    def _complete(self, body: bytes) -> None:
        end = time.monotonic() + self.server.timeout_s
        try:
            completion, _ = complete(
                self.server.decoder, self.server.identity, body, lambda: time.monotonic() >= end
            )
        except RequestRefused as cause:
            self._refuse(HTTPStatus.BAD_REQUEST, cause.parameter, str(cause))
        except ModelError as cause:
            self._refuse(HTTPStatus.UNPROCESSABLE_ENTITY, "messages", str(cause))
        else:
            self._send_bytes(HTTPStatus.OK, completion)

    def _is_from_here(self) -> bool:
        """Return True if the request names a loopback address; else refuse it: a page could have sent it."""
        host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        if host in _HOSTS and "Origin" not in self.headers:
            return True
        self._refuse(HTTPStatus.FORBIDDEN, "host", "only programs on this machine are answered")
        return False

    def _body(self) -> bytes | None:
        """Return the body of a request; None if it was refused."""
        if self.headers.get_content_type() != _JSON:
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "content-type", f"send {_JSON}")
            return None
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _LARGEST_REQUEST:
            self._refuse(HTTPStatus.BAD_REQUEST, "content-length", f"send at most {_LARGEST_REQUEST} bytes")
            return None
        return self.rfile.read(int(length))

    def _refuse(self, status: HTTPStatus, parameter: str, message: str) -> None:
        error = {"message": message, "type": "invalid_request_error", "param": parameter, "code": None}
        self.close_connection = True
        self._send(status, {"error": error})

    def _send(self, status: HTTPStatus, document: dict[str, Any]) -> None:
        self._send_bytes(status, msgspec.json.encode(document))

    def _send_bytes(self, status: HTTPStatus, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", _JSON)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
