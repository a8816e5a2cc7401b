"""Registries that require a password or a token, which the proxy adds to requests outside of the sandbox.

A run connects to such a host as to any other. The proxy answers with a certificate of its own, which only
this run accepts, adds the credential to the request, and passes it on by TLS to the host.
"""

from __future__ import annotations

import base64
import socket
import ssl
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from wardround.errors import EnvironmentUnavailable
from wardround.lazy import LazyPattern
from wardround.sandbox.certificates import Authority
from wardround.sandbox.http_messages import Address, RequestHead, address_of, read_request

_SCHEMES = frozenset({"http", "https"})
_METHODS = frozenset({"GET", "HEAD"})
_PATH = LazyPattern(r"^/[A-Za-z0-9@._~+!/%-]*\Z")
_OTHER_ESCAPE = LazyPattern(r"%(?!2[Ff]|40|2[Bb])|//")
"""An escape other than those in names of packages, which are of ``/``, ``@`` and ``+``."""
_TOKEN = LazyPattern(r"^[\x21-\x7e]{0,8192}\Z")
_KEPT = LazyPattern(r"(?i)^(?:accept(?:-encoding)?|user-agent|range|if-[a-z-]{1,30}|cache-control):")
"""The fields of a request that determine the form of its response, and nothing else."""
REFUSED = b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_REPLACING = ("SSL_CERT_FILE", "npm_config_cafile", "YARN_HTTPS_CA_FILE_PATH")
"""Variables that name all authorities; a file ``npmrc`` of the machine can name others."""
_PIECE = 64 * 1024
_CLOSE_S = 1.0
_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)  # fmt: skip
"""The certificates of authorities in the distributions of Linux."""


class RegistryCredential:
    """A password or a token, and the folder of addresses for which it is sent.

    Args:
        url: an address of HTTP or HTTPS; the last ``/`` of its path ends the folder.
        token: the secret.
        user: for HTTP Basic; without one, the token is sent as ``Bearer``.

    Raises:
        EnvironmentUnavailable: the token or the address has characters that no request can contain.
    """

    __slots__ = ("_authorization", "address", "folder", "is_encrypted")

    def __init__(self, url: str, token: str, user: str = "") -> None:
        address = address_of(url)
        if address is None:
            raise EnvironmentUnavailable("a private registry has an address that is none; correct it")
        if not _TOKEN.search(token):
            raise EnvironmentUnavailable(
                f"the token for {address} has characters that no request can contain; correct it"
            )
        self.address = address
        self.folder = urlsplit(url).path.rpartition("/")[0] + "/"
        self.is_encrypted = url.startswith("https://")
        pair = base64.b64encode(f"{user}:{token}".encode()).decode()
        self._authorization = f"Basic {pair}" if user else f"Bearer {token}"

    def fields(self, path: str) -> tuple[str, ...]:
        """Return the header fields for a request for a path; none for a path outside of the folder."""
        return (f"Authorization: {self._authorization}",) if self._contains_path(path) else ()

    def _contains_path(self, path: str) -> bool:
        """Return True for a path in the folder that no server can interpret as one outside of it."""
        plain = path.partition("?")[0]
        if not _PATH.search(plain) or _OTHER_ESCAPE.search(plain):
            return False
        return plain.startswith(self.folder) and {".", ".."}.isdisjoint(unquote(plain).split("/"))


def credential_in(url: str) -> RegistryCredential | None:
    """Return the user and the password in the address of an index; None without a user.

    They are sent to the entire host, as uv does: the files of an index can be in any folder of it.
    """
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES or not parts.username:
        return None
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2], path="/", query="", fragment="")
    return RegistryCredential(plain.geturl(), unquote(parts.password or ""), unquote(parts.username))


class RegistryAccess:
    """Adds credentials to the requests of one run.

    Args:
        environ: the caller's environment, whose certificates are accepted.

    Raises:
        EnvironmentUnavailable: cryptography is not installed.
    """

    def __init__(self, credentials: Collection[RegistryCredential], environ: Mapping[str, str]) -> None:
        self._credentials = sorted(credentials, key=lambda credential: len(credential.folder), reverse=True)
        self._environ = environ
        hosts = {given.address.host for given in credentials if given.is_encrypted}
        self._authority = Authority(hosts) if hosts else None

    def covers(self, address: Address) -> bool:
        """Return True if there is a credential for an address."""
        return any(credential.address == address for credential in self._credentials)

    def fields(self, address: Address, path: str) -> tuple[str, ...]:
        """Return the fields to add to a request: those of the credential whose folder is the smallest."""
        own = (credential for credential in self._credentials if credential.address == address)
        return next(filter(None, (credential.fields(path) for credential in own)), ())

    def certificates(self) -> Iterator[tuple[str, bytes]]:
        """Yield variables of a run, and the content of the files they name, by which it accepts the proxy.

        Raises:
            EnvironmentUnavailable: the certificates of the system are not found.
        """
        if self._authority is not None:
            own = self._read_content("NODE_EXTRA_CA_CERTS") + self._authority.certificate
            yield "NODE_EXTRA_CA_CERTS", own
            every = (self._read_content("SSL_CERT_FILE") or _system_certificates()) + own
            yield from ((name, every) for name in _REPLACING)

    def secure(self, host: socket.socket, address: Address) -> ssl.SSLSocket:
        """Return a connection to a host, with TLS.

        Raises:
            OSError: it does not speak TLS, or has no certificate that the caller accepts.
        """
        try:
            return self._trusted_context().wrap_socket(host, server_hostname=address.host)
        except BaseException:
            host.close()
            raise

    def exchange(self, client: socket.socket, host: socket.socket, address: Address) -> None:
        """Pass one request of a run on with its credential, and the answer back.

        Raises:
            OSError: the run does not accept the proxy, or sends no request.
        """
        assert self._authority is not None, "only addresses with a credential are exchanged"
        with self._authority.server(address.host).wrap_socket(client, server_side=True) as inner:
            request = read_request(inner)
            if self.permits(request):
                host.sendall(self.head(request, address))
                _copy(host, inner)
            else:
                inner.sendall(REFUSED)
            _close(inner)

    def permits(self, request: RequestHead) -> bool:
        """Return True for a request that changes nothing at its host."""
        return request.method in _METHODS

    def head(self, request: RequestHead, address: Address) -> bytes:
        """Return the head of a request for an address, whose target is a path."""
        added = (f"Host: {address}", *self.fields(address, request.target))
        return request.bytes_for(request.target, added, _KEPT)

    def _trusted_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        for name in ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"):
            if content := self._read_content(name):
                context.load_verify_locations(cadata=content.decode("ascii", "ignore"))
        return context

    def _read_content(self, name: str) -> bytes:
        path = self._environ.get(name)
        return Path(path).read_bytes() + b"\n" if path and Path(path).is_file() else b""


def _system_certificates() -> bytes:
    usual = (ssl.get_default_verify_paths().cafile, *_BUNDLES)
    found = next((path for path in usual if path and Path(path).is_file()), None)
    if found is None:
        raise EnvironmentUnavailable(
            "a private registry needs the certificates of this system, which were not found; "
            "name their file in SSL_CERT_FILE"
        )
    return Path(found).read_bytes() + b"\n"


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(ssl.SSLEOFError):  # a host that ends without notice
        while data := source.recv(_PIECE):
            target.sendall(data)


def _close(connection: ssl.SSLSocket) -> None:
    """Signal to the other end that the response is complete."""
    connection.settimeout(_CLOSE_S)
    with suppress(OSError):
        connection.unwrap()
