"""The HTTP/1.1 connection: bounds the number of connections, the headers, and clients that do not read."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from wardround.service.problems import MEDIA_TYPE, problem_document

MOST_HEADER_BYTES = 16 * 1024


class BoundedProtocol(H11Protocol):
    """Closes a connection whose headers are late, and one whose response is not being read.

    Attributes:
        connections_limit: further connections are closed at once.
        patience_s: the time for the headers of a request, and for reading some of a response.
    """

    connections_limit = 512
    patience_s = 10.0
    _patience: asyncio.TimerHandle | None = None
    _unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin a connection."""
        super().connection_made(transport)
        if len(self.connections) > self.connections_limit:
            transport.abort()
            return
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """End a connection."""
        if self._patience is not None:
            self._patience.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request of the client."""
        self._wait()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Report a request that is not HTTP/1.1, or has too many headers."""
        detail = f"the request is not valid HTTP/1.1, or its headers exceed {MOST_HEADER_BYTES} bytes"
        content = problem_document(400, detail)
        headers = [
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(content)).encode()),
            (b"connection", b"close"),
        ]
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=content),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _wait(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
        self._patience = self.loop.call_later(self.patience_s, self._lose_patience)

    def _lose_patience(self) -> None:
        """Close the connection, unless a request is in work or the client is reading."""
        before, self._unread = self._unread, self.transport.get_write_buffer_size()
        if self._unread and before and self._unread >= before:
            self.transport.abort()
        elif not self._unread and (self.cycle is None or self.cycle.response_complete):
            self.transport.close()
        else:
            self._wait()


def protocol_class(connections: int, patience_s: float) -> type[BoundedProtocol]:
    """Return the protocol with these limits; the server creates one for each connection."""
    limits = {"connections_limit": connections, "patience_s": patience_s}
    return type("LimitedProtocol", (BoundedProtocol,), limits)
