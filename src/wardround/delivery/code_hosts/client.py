"""Requests to a code host: bounded, paced, and repeated only where that cannot write twice.

Source: GitHub, "Rate limits for the REST API" and "Best practices for using the REST API"; GitLab, "Rate
limits".
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec

from wardround.delivery.code_hosts.errors import HostError, LostResponse, RefusedByHost
from wardround.errors import UsageError
from wardround.text.escaping import one_line
from wardround.text.retry_after import seconds_until
from wardround.trusted_certificates import trusted_certificates

if TYPE_CHECKING:
    import httpx

Shape = TypeVar("Shape")

_IDEMPOTENT = frozenset({"GET", "PUT", "PATCH", "DELETE"})
_SERVER_FAULTS = frozenset({500, 502, 503, 504})
_RATE_LIMITED = frozenset({403, 429, 503})
_MOST_BYTES = 32 * 2**20
"""A page of 100 changed files with their patches has at most 10 MB."""
_PER_PAGE = 100
_GRAPHQL_STATUSES = {"FORBIDDEN": 403, "INSUFFICIENT_SCOPES": 403, "NOT_FOUND": 404}
_UNPROCESSABLE = 422
"""Errors of GraphQL come with the status of a success, and a type."""


class Clock(Protocol):
    """Seconds since the epoch, and waiting."""

    def now(self) -> float: ...

    def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class ClientLimits(msgspec.Struct, frozen=True):
    """The limits of a client; times in seconds.

    Attributes:
        timeout: of connecting, and of each read.
        patience: for all waiting together; a rate limit that needs more is an error.
        pause: between two requests that write. GitHub recommends a second.
        attempts: of a request that the server failed to answer.
        secondary_wait: the first wait after a secondary rate limit that names no time; it doubles.
    """

    timeout: float = 30.0
    patience: float = 600.0
    pause: float = 1.0
    attempts: int = 4
    secondary_wait: float = 60.0


class Answer(msgspec.Struct, frozen=True):
    """A response that was read.

    Attributes:
        source: method and path of the request, for messages.
        following: address of the next page; empty if there is none.
    """

    source: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    following: str = ""


class ApiClient:
    """Sends requests to one code host, with one account's credentials, following no redirect to another host.

    Args:
        name: of the code host, for messages.
        credentials: what holds the token, for messages: the name of an environment variable.
    """

    def __init__(
        self,
        name: str,
        api: str,
        headers: Mapping[str, str],
        credentials: str,
        limits: ClientLimits | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._name = name
        self.api = api.rstrip("/")
        self._headers = {"User-Agent": "wardround", "Accept": "application/json", **headers}
        self._credentials = credentials
        self._limits = limits or ClientLimits()
        self._clock = clock or SystemClock()
        self._waited = 0.0
        self._last_write = float("-inf")
        self._client: httpx.Client | None = None

    def get(self, path: str, shape: type[Shape], **params: str | int) -> Shape:
        """Return the JSON of a resource.

        Raises:
            RefusedByHost: the host refuses the request.
            HostError: it cannot be reached, fails, or answers with something else.
        """
        return self._decode(self._send("GET", path, params=params), shape)

    def pages(self, path: str, shape: type[Shape], **params: str | int) -> Iterator[Shape]:
        """Yield the elements of a list with pages, whose next page a ``Link`` header names.

        Raises:
            RefusedByHost, HostError: as ``get``.
        """
        answer = self._send("GET", path, params={"per_page": _PER_PAGE, **params})
        while True:
            yield from self._decode(answer, list[shape])  # type: ignore[valid-type]
            if not answer.following:
                return
            answer = self._send("GET", self._own_address(answer.following))

    def write(
        self, method: str, path: str, body: Any = None, shape: type[Shape] | None = None
    ) -> Shape | None:
        """Send a request that changes something, and return the JSON of its response in a shape.

        Raises:
            LostResponse: a POST may have been carried out, and its response is lost.
            RefusedByHost, HostError: as ``get``.
        """
        self._pace()
        try:
            answer = self._send(method, path, content=msgspec.json.encode(body) if body is not None else None)
        finally:
            self._last_write = self._clock.now()
        return None if shape is None else self._decode(answer, shape)

    def query(self, path: str, text: str, variables: Mapping[str, Any], shape: type[Shape]) -> Shape:
        """Return the data of a GraphQL request, which is repeated only if it is a query.

        Raises:
            RefusedByHost: the response names errors.
            LostResponse, HostError: as ``write``.
        """
        body = {"query": text, "variables": dict(variables)}
        if not _is_query(text):
            self._pace()
        try:
            answer = self._send("POST", path, content=msgspec.json.encode(body), is_query=_is_query(text))
        finally:
            self._last_write = self._last_write if _is_query(text) else self._clock.now()
        errors = self._decode(answer, _GraphqlErrors).errors
        if errors:
            message = one_line(errors[0].message)[:300]
            status = _GRAPHQL_STATUSES.get(errors[0].type, _UNPROCESSABLE)
            raise RefusedByHost(f"{self._name} refused a request of its GraphQL interface: {message}", status)
        data: Shape = self._decode(answer, _graphql_data(shape)).data
        return data

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()

    def _send(
        self,
        method: str,
        path: str,
        params: Mapping[str, str | int] | None = None,
        content: bytes | None = None,
        *,
        is_query: bool = False,
    ) -> Answer:
        """Send a request, again after a rate limit, and after a failure if that cannot write twice."""
        import httpx  # an optional dependency, and slow to import

        attempt, secondary = 0, self._limits.secondary_wait
        is_repeatable = is_query or method in _IDEMPOTENT
        while True:
            attempt += 1
            try:
                answer = self._request(method, path, params, content)
            except (httpx.ConnectError, httpx.ConnectTimeout) as cause:  # never sent
                self._retry_or_raise(attempt, HostError(self._unreachable(cause)))
                continue
            except (httpx.HTTPError, OSError) as cause:
                _require_repeatable(is_repeatable, f"a response is lost: {self._unreachable(cause)}")
                self._retry_or_raise(attempt, HostError(self._unreachable(cause)))
                continue
            wait = self._rate_limit_wait(answer, secondary)
            is_rejected = is_repeatable or answer.status not in _SERVER_FAULTS  # without being carried out
            if wait is not None and is_rejected:
                secondary = 2 * secondary if wait == secondary else secondary
                self._wait(wait, HostError(f"{self._name} limits the rate of requests for {wait:.0f} s more"))
            elif answer.status in _SERVER_FAULTS:
                failed = f"{self._name} failed with status {answer.status}"
                _require_repeatable(is_repeatable, failed)
                self._retry_or_raise(attempt, HostError(failed))
            elif answer.status >= 300:
                raise self._refusal(answer)
            else:
                return answer

    def _request(
        self, method: str, path: str, params: Mapping[str, str | int] | None, content: bytes | None
    ) -> Answer:
        if self._client is None:
            self._client = self._open()
        url = path if "://" in path else f"{self.api}{path}"
        source = f"{method} {one_line(urlsplit(url).path)[:200]}"
        headers = {"Content-Type": "application/json"} if content is not None else {}
        with self._client.stream(
            method, url, params=params or None, content=content, headers=headers
        ) as response:
            body = bytearray()
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > _MOST_BYTES:
                    raise HostError(f"{self._name} sent more than {_MOST_BYTES:,} bytes for {source}")
            following = response.links.get("next", {}).get("url", "")
            return Answer(source, response.status_code, response.headers, bytes(body), following)

    def _open(self) -> httpx.Client:
        """Return a client with the proxy and the certificates that variables name.

        Raises:
            UsageError: one of them cannot be used.
        """
        import httpx

        try:
            return httpx.Client(
                follow_redirects=False,
                headers=self._headers,
                timeout=self._limits.timeout,
                verify=trusted_certificates(self.api),
            )
        except (OSError, ValueError, ImportError, httpx.InvalidURL) as cause:
            raise UsageError(
                f"no connection to {self._name} can be made ({type(cause).__name__}); correct the proxy in "
                "HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, and the certificates in SSL_CERT_FILE or SSL_CERT_DIR"
            ) from None

    def _own_address(self, url: str) -> str:
        """Return an address that a response names, if it is of the same server."""
        if _server_of(url) != _server_of(self.api):
            raise HostError(f"{self._name} names a next page on another server, which gets no credentials")
        return url

    def _pace(self) -> None:
        rest = self._limits.pause - (self._clock.now() - self._last_write)
        if rest > 0:
            self._clock.sleep(rest)

    def _rate_limit_wait(self, answer: Answer, secondary: float) -> float | None:
        """Return the seconds to wait before a request is repeated; None if it was not limited."""
        is_limited_query = _is_limited_query(answer)
        if answer.status not in _RATE_LIMITED and not is_limited_query:
            return None
        headers = answer.headers
        if stated := headers.get("retry-after", ""):
            wait = seconds_until(stated, headers.get("date", ""), self._clock.now())
            return secondary if wait is None else wait
        if (reset := _rate_limit_reset(headers)) is not None:
            return max(1.0, reset - self._clock.now())
        if answer.status == 429 or is_limited_query or b"secondary rate limit" in answer.body.lower():
            return secondary
        return None

    def _retry_or_raise(self, attempt: int, error: HostError) -> None:
        if attempt >= self._limits.attempts:
            raise error
        self._wait(float(2**attempt), error)

    def _wait(self, seconds: float, error: HostError) -> None:
        """Wait, unless that exceeds the patience for all waiting."""
        if self._waited + seconds > self._limits.patience:
            raise error
        self._waited += seconds
        self._clock.sleep(seconds)

    def _decode(self, answer: Answer, shape: type[Shape]) -> Shape:
        try:
            return msgspec.json.decode(answer.body, type=shape)
        except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
            raise HostError(
                f"{self._name} returned an unexpected shape for {answer.source} ({cause}); "
                "check that the address is that of the interface"
            ) from None

    def _refusal(self, answer: Answer) -> RefusedByHost:
        """Return the sentence for a status that is not a success; nothing of the response but its message."""
        where = f"{self._name} returned {answer.status} for {answer.source}"
        match answer.status:
            case 401:
                advice = f"the credentials are missing or wrong; set {self._credentials}"
            case 403:
                advice = f"the credentials do not allow it; check the permissions of {self._credentials}"
            case 301 | 302 | 307 | 308:
                advice = "it has another address now; name that (such as a new name of the repository)"
            case 404 | 410:
                advice = f"it does not exist or is not visible; check the address and {self._credentials}"
            case _:
                advice = one_line(_message(answer.body))[:300] or "the request is not accepted"
        return RefusedByHost(f"{where}: {advice}", answer.status)

    def _unreachable(self, cause: Exception) -> str:
        host = urlsplit(self.api).hostname or ""
        return (
            f"{self._name} cannot be reached at {host!r} ({type(cause).__name__}); "
            "check the address and the network, and run this again"
        )


def _server_of(url: str) -> tuple[str, str]:
    """Return scheme, and host with port; empty for an address that is malformed."""
    try:
        scheme, server, *_ = urlsplit(url)
    except ValueError:
        return "", ""
    return scheme, server


def _is_limited_query(answer: Answer) -> bool:
    """Return True for a request to GraphQL that was limited, which has the status of a success."""
    if answer.status != 200 or not answer.source.endswith("/graphql"):
        return False
    return re.search(rb'"type": ?"RATE_LIMITED"', answer.body) is not None


def _rate_limit_reset(headers: Mapping[str, str]) -> float | None:
    """Return the time at which a used-up limit ends; GitHub and GitLab name the headers differently."""
    for prefix in ("x-ratelimit", "ratelimit"):
        if headers.get(f"{prefix}-remaining") == "0" and headers.get(f"{prefix}-reset", "").isdecimal():
            return float(headers[f"{prefix}-reset"])
    return None


def _require_repeatable(is_repeatable: bool, message: str) -> None:
    if not is_repeatable:
        raise LostResponse(message)


class _GraphqlError(msgspec.Struct, frozen=True):
    message: str
    type: str = ""


class _GraphqlErrors(msgspec.Struct, frozen=True):
    errors: tuple[_GraphqlError, ...] = ()


def _graphql_data(shape: type[Any]) -> Any:
    return msgspec.defstruct("GraphqlData", [("data", shape)], frozen=True)


def _is_query(text: str) -> bool:
    return text.lstrip().startswith("query")


class _Refusal(msgspec.Struct, frozen=True):
    message: Any = ""
    errors: Any = ()


def _message(content: bytes) -> str:
    try:
        refusal = msgspec.json.decode(content, type=_Refusal)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""
    return f"{refusal.message} {refusal.errors or ''}".strip()
