"""The network of a run that downloads: a proxy outside of the sandbox, which connects to hosts of a list.

The run has no network but a loopback interface of its own. Its first program reaches the proxy by a socket in
its tree, and requests connections to hosts from it.
"""

from __future__ import annotations

import base64
import os
import select
import socket
import socketserver
import threading
import urllib.request
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from wardround.lazy import LazyPattern
from wardround.sandbox.http_messages import (
    PORTS,
    Address,
    RequestHead,
    address_of,
    read_head,
    read_request,
)
from wardround.sandbox.registry_access import REFUSED, RegistryAccess

SOCKET = ".wardround-proxy"
"""The name of the socket in the tree of the run."""
_MOST_CONNECTIONS = 256
_CONNECT_S, _IDLE_S = 60.0, 300.0
_PIECE = 64 * 1024
_MOST_REPORTED = 20
_END_TO_END = LazyPattern(r"(?i)^(?!(?:connection|proxy-connection|proxy-authorization|keep-alive):)")
"""Fields that are not of one connection."""


class Proxy:
    """Answers ``CONNECT``, and plain requests, for hosts of a list.

    Args:
        environ: the caller's environment, whose proxies are used.
        access: credentials for some of the hosts, which requests get outside of the sandbox.

    Attributes:
        refused: requested addresses that are not on the list.
        silent: addresses of the list that do not answer.
    """

    def __init__(
        self, allowed: Collection[Address], environ: Mapping[str, str], access: RegistryAccess | None = None
    ) -> None:
        self._allowed = frozenset(allowed)
        self._environ = environ
        self.access = access or RegistryAccess((), environ)
        self.refused: set[str] = set()
        self.silent: set[str] = set()

    @contextmanager
    def listening(self, folder: Path) -> Iterator[None]:
        """Listen at a socket in a folder; a process of the run that is left loses its connections.

        The folder is named by an open file, as the path of a socket has at most 107 bytes.
        """
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with suppress(FileNotFoundError):
                os.unlink(SOCKET, dir_fd=opened)
            with _Server(f"/proc/self/fd/{opened}/{SOCKET}", self) as server:
                thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
                thread.start()
                try:
                    yield
                finally:
                    server.shutdown()
                    thread.join()
        finally:
            os.close(opened)

    def connection(self, address: Address) -> socket.socket | None:
        """Return a connection to a host; None if it is not on the list.

        Raises:
            OSError: it does not answer.
        """
        if address not in self._allowed:
            if len(self.refused) < _MOST_REPORTED:
                self.refused.add(str(address))
            return None
        upstream = self._upstream(address)
        if upstream is None:
            return socket.create_connection((address.host, address.port), _CONNECT_S)
        return _tunnel(upstream, address)

    def _upstream(self, address: Address) -> str | None:
        """Return the URL of the caller's proxy for a host."""
        proxies = {
            kind: found
            for kind in ("http", "https", "no")
            for name in (f"{kind}_proxy", f"{kind}_proxy".upper())
            if (found := self._environ.get(name))
        }
        if urllib.request.proxy_bypass_environment(address.host, proxies):  # type: ignore[attr-defined]
            return None
        return proxies.get("http" if address.port == PORTS["http"] else "https")


def _tunnel(upstream: str, address: Address) -> socket.socket:
    parts = urlsplit(upstream if "://" in upstream else f"http://{upstream}")
    found = socket.create_connection((parts.hostname or "", parts.port or PORTS["http"]), _CONNECT_S)
    head = f"CONNECT {address.host}:{address.port} HTTP/1.1\r\nHost: {address.host}:{address.port}\r\n"
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        head += f"Proxy-Authorization: Basic {base64.b64encode(pair.encode()).decode()}\r\n"
    try:
        found.sendall(f"{head}\r\n".encode())
        status = read_head(found).split(b" ")[1:2]
        if status != [b"200"]:
            raise OSError(f"the proxy {parts.hostname} refuses a connection to {address}")
    except BaseException:
        found.close()
        raise
    return found


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, place: str, proxy: Proxy) -> None:
        self._free = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        self.proxy = proxy
        super().__init__(place, _Connection)

    def process_request_thread(self, request: socket.socket, client_address: object) -> None:  # type: ignore[override]
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            with suppress(OSError):
                self.finish_request(request, client_address)
        finally:
            self._free.release()
            self.shutdown_request(request)


class _Connection(socketserver.BaseRequestHandler):
    server: _Server

    def handle(self) -> None:
        self.request.settimeout(_CONNECT_S)
        request = read_request(self.request)
        is_tunnel = request.method == "CONNECT"
        address = address_of(request.target if is_tunnel or request.target.startswith("http://") else "")
        try:
            found = None if address is None else self._connection(address, is_tunnel)
        except OSError:
            self.server.proxy.silent.add(str(address))
            self._answer("502 Bad Gateway")
            return
        if found is None or address is None:
            self._answer("403 Forbidden")
            return
        with closing(found):
            if is_tunnel:
                self._tunnel(found, address)
            else:
                self._plain(request, found, address)

    def _connection(self, address: Address, is_tunnel: bool) -> socket.socket | None:
        found = self.server.proxy.connection(address)
        access = self.server.proxy.access
        if found is not None and is_tunnel and access.covers(address):
            return access.secure(found, address)
        return found

    def _tunnel(self, host: socket.socket, address: Address) -> None:
        self._answer("200 Connection established")
        access = self.server.proxy.access
        if access.covers(address):
            access.exchange(self.request, host, address)
        else:
            _exchange(self.request, host)

    def _plain(self, request: RequestHead, host: socket.socket, address: Address) -> None:
        path = urlsplit(request.target)._replace(scheme="", netloc="").geturl() or "/"
        access = self.server.proxy.access
        if not access.covers(address):
            host.sendall(request.bytes_for(path, (), _END_TO_END))
            _exchange(self.request, host)
        elif access.permits(request):
            host.sendall(access.head(msgspec.structs.replace(request, target=path), address))
            _exchange(self.request, host)
        else:
            self.request.sendall(REFUSED)

    def _answer(self, status: str) -> None:
        self.request.sendall(f"HTTP/1.1 {status}\r\n".encode() + b"\r\n")


def _exchange(item: socket.socket, other: socket.socket) -> None:
    """Pass data on in both directions until both ends are closed, or nothing comes for minutes."""
    target = {item: other, other: item}
    while target:
        ready = select.select(list(target), [], [], _IDLE_S)[0]
        if not ready:
            return
        for source in ready:
            data = source.recv(_PIECE)
            if data:
                target[source].sendall(data)
            else:
                with suppress(OSError):
                    target[source].shutdown(socket.SHUT_WR)
                del target[source]
