"""Heads of HTTP requests, as package managers send them to the proxy of a run."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import urlsplit

import msgspec

from wardround.lazy import LazyPattern

LONGEST_HEAD = 64 * 1024
PORTS = {"https": 443, "http": 80}
_HOST = LazyPattern(r"^[A-Za-z0-9_.:-]{1,253}\Z")
_LINE = LazyPattern(r"^[\t\x20-\x7e\x80-\xff]*\Z")


class Address(msgspec.Struct, frozen=True, order=True):
    """A host and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return self.host if self.port == PORTS["https"] else f"{self.host}:{self.port}"


def address_of(text: str) -> Address | None:
    """Return the address in a URL, or in ``host`` or ``host:port``; None for another text."""
    with suppress(ValueError):
        parts = urlsplit(text if "://" in text else f"https://{text}")
        host, port = parts.hostname or "", parts.port or PORTS.get(parts.scheme)
        return Address(host, port) if _HOST.search(host) and port and text.isprintable() else None
    return None


class RequestHead(msgspec.Struct, frozen=True):
    """The first line and the fields of a request.

    Attributes:
        target: the address or path that is requested.
        fields: lines ``Name: value``.
    """

    method: str
    target: str
    fields: tuple[str, ...]

    def bytes_for(self, path: str, added: Iterable[str], is_kept: LazyPattern) -> bytes:
        """Return the head for the host itself, whose connection ends with its answer.

        Args:
            added: fields that come first.
            is_kept: matches the fields that are passed on.
        """
        retained = (field for field in self.fields if is_kept.search(field))
        lines = [f"{self.method} {path} HTTP/1.1", *added, *retained, "Connection: close", "", ""]
        return "\r\n".join(lines).encode("latin-1")


def read_head(connection: socket.socket) -> bytes:
    """Read to the empty line that ends a head, and nothing after it.

    Raises:
        OSError: it does not end.
    """
    read = b""
    while not read.endswith(b"\r\n\r\n"):
        piece = connection.recv(1)
        if not piece or len(read) > LONGEST_HEAD:
            raise OSError("the head of a message is not complete")
        read += piece
    return read


def read_request(connection: socket.socket) -> RequestHead:
    """Read the head of a request.

    Raises:
        OSError: it does not end, or has characters by which a host could read it as two requests.
    """
    first, *fields = read_head(connection).decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    if not all(_LINE.search(line) for line in (first, *fields)):
        raise OSError("the head of a request has control characters")
    method, _, rest = first.partition(" ")
    return RequestHead(method, rest.partition(" ")[0], tuple(fields))
