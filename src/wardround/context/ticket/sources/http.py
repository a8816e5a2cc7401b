"""One bounded request to a ticket service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import msgspec

from wardround.context.ticket.errors import TicketError
from wardround.trusted_certificates import trusted_certificates

if TYPE_CHECKING:
    import httpx

_RETRIED = (429, 503)
_REDIRECTS = (301, 302, 303, 307, 308)


class Limits(msgspec.Struct, frozen=True):
    """The limits of one ticket; times in seconds.

    Attributes:
        total: for everything together: connecting, redirects, waiting, retrying and reading.
        longest_wait: the longest ``Retry-After`` that is obeyed.
    """

    connect: float = 5.0
    read: float = 10.0
    total: float = 30.0
    longest_wait: float = 5.0
    max_bytes: int = 4 * 2**20
    redirects: int = 3


class Request(msgspec.Struct, frozen=True):
    """A request, with the names that its errors use.

    Attributes:
        service: "GitHub", "Jira" or "Linear".
        ticket: the key.
        credentials: the environment variables that hold the credentials.
        body: JSON of a POST; None for a GET.
        headers: with the credentials, which is why a request is never printed.
    """

    service: str
    ticket: str
    url: str
    credentials: str
    headers: Mapping[str, str]
    body: bytes | None = None

    def __repr__(self) -> str:
        return f"Request({self.service}, {self.ticket})"


class Answer(msgspec.Struct, frozen=True):
    """The status and the body of a response."""

    status: int
    body: bytes
    headers: Mapping[str, str]


def fetch_json(request: Request, limits: Limits, also: tuple[int, ...] = ()) -> bytes:
    """Return the body of a successful response in JSON, after at most one retry of 429 and 503.

    Args:
        also: further statuses whose body describes the result.

    Raises:
        TicketError: anything else; the message names the service, the ticket and a remedy, never a header.
    """
    import asyncio  # slow to import, and only a review with a ticket needs it

    answer = asyncio.run(_read_limited(request, limits))
    if answer.status not in (200, *also):
        raise TicketError(_refusal_text(request, answer))
    if not answer.headers.get("content-type", "").lower().split(";")[0].strip().endswith("json"):
        raise TicketError(
            f"{request.service} did not return JSON for {request.ticket}; check that the address "
            f"{_host(request.url)!r} is not that of a login page or a proxy"
        )
    return answer.body


async def _read_limited(request: Request, limits: Limits) -> Answer:
    import asyncio

    import httpx  # an optional dependency, and slow to import

    try:
        async with asyncio.timeout(limits.total):
            return await _exchange(request, limits)
    except (TimeoutError, httpx.TimeoutException) as cause:
        raise TicketError(
            f"{request.service} did not respond in time for {request.ticket}; "
            f"try again later or check {_host(request.url)!r}"
        ) from cause
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as cause:
        raise TicketError(_unreachable(request, cause)) from None  # also: a wrong proxy or certificate file


async def _exchange(request: Request, limits: Limits) -> Answer:
    import asyncio

    import httpx  # see above

    timeout = httpx.Timeout(limits.read, connect=limits.connect)
    verify = trusted_certificates(request.url)
    async with httpx.AsyncClient(timeout=timeout, follow_redirects=False, verify=verify) as client:
        answer = await _follow(client, request, limits)
        wait = _allowed_wait(answer, limits)
        if wait is None:
            return answer
        await asyncio.sleep(wait)
        return await _follow(client, request, limits)


async def _follow(client: httpx.AsyncClient, request: Request, limits: Limits) -> Answer:
    """Send a request and follow redirects on the same scheme, host and port."""
    url = request.url
    for _ in range(limits.redirects + 1):
        answer = await _send(client, request, url, limits)
        if answer.status not in _REDIRECTS:
            return answer
        url = _redirect_url(request, url, answer.headers.get("location", ""))
    raise TicketError(
        f"{request.service} redirects {request.ticket} too often; check the address {_host(url)!r}"
    )


def _redirect_url(request: Request, url: str, location: str) -> str:
    try:
        target = urljoin(url, location)
        is_same = urlsplit(target)[:2] == urlsplit(url)[:2] and bool(location)
    except ValueError:
        is_same = False
    if not is_same or request.body is not None:
        raise TicketError(
            f"{request.service} redirects {request.ticket} to another address, which is not followed "
            f"with a token; check the address {_host(url)!r}"
        )
    return target


async def _send(client: httpx.AsyncClient, request: Request, url: str, limits: Limits) -> Answer:
    method = "GET" if request.body is None else "POST"
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "wardround"}
    if request.body is not None:
        headers["Content-Type"] = "application/json"
    async with client.stream(
        method, url, headers={**headers, **request.headers}, content=request.body
    ) as response:
        fields = {name.lower(): value for name, value in response.headers.items()}
        if fields.get("content-encoding", "identity").lower() not in ("", "identity"):
            raise TicketError(
                f"{request.service} sent compressed content for {request.ticket}, which was not accepted; "
                f"check the proxy before {_host(url)!r}"
            )
        return Answer(response.status_code, await _body(request, response.aiter_raw(), limits), fields)


async def _body(request: Request, chunks: AsyncIterator[bytes], limits: Limits) -> bytes:
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > limits.max_bytes:
            raise TicketError(
                f"{request.service} sent more than {limits.max_bytes:,} bytes for {request.ticket}; "
                "save the description to a file and give --ticket FILE"
            )
    return bytes(body)


def _allowed_wait(answer: Answer, limits: Limits) -> float | None:
    """Return the seconds before the only retry, None if there is to be none."""
    if answer.status not in _RETRIED:
        return None
    wait = retry_after(answer.headers.get("retry-after", ""), datetime.now(UTC))
    return wait if wait <= limits.longest_wait else None


def retry_after(value: str, current: datetime) -> float:
    """Seconds of a ``Retry-After`` header, a number or a date; 1 if there is none that can be read."""
    if value.strip().isdecimal() and len(value) < 10:
        return float(value)
    import email.utils  # slow to import

    try:
        date = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return 1.0
    return max(0.0, (date - current).total_seconds()) if date.tzinfo else 1.0


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _unreachable(request: Request, cause: Exception) -> str:
    host = _host(request.url)
    if _is_tls(cause):
        return (
            f"the TLS certificate of {host!r} is not accepted, so {request.ticket} was not fetched; "
            "set SSL_CERT_FILE to the certificates of your organisation"
        )
    return (
        f"{request.service} cannot be reached at {host!r} for {request.ticket} ({type(cause).__name__}); "
        "check the address and the network"
    )


def _is_tls(cause: BaseException | None) -> bool:
    import ssl  # slow to import

    while cause is not None:
        if isinstance(cause, ssl.SSLError) or "CERTIFICATE_VERIFY_FAILED" in str(cause):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _refusal_text(request: Request, answer: Answer) -> str:
    """Return the sentence for a status that is not 200."""
    where = f"{request.service} returned {answer.status} for {request.ticket}"
    match answer.status:
        case 401:
            return f"{where}: the credentials are missing or wrong; set {request.credentials}"
        case 403 if answer.headers.get("x-ratelimit-remaining") == "0":
            return f"{where}: the rate limit is used up; set {request.credentials} or try again later"
        case 403:
            return f"{where}: the credentials do not allow it; check the permissions of {request.credentials}"
        case 404 | 410:
            return (
                f"{where}: it does not exist or is not visible; check the key and set {request.credentials}"
            )
        case 429:
            return f"{where}: too many requests; try again later"
        case status if status >= 500:
            return f"{where}: the server failed; try again later"
        case _:
            return f"{where}; check the address {_host(request.url)!r}"


def decode_response(body: bytes, shape: type[Any], request: Request) -> Any:
    """Decode the JSON of a response to a struct.

    Raises:
        TicketError: it is not JSON, or not of the shape that the service describes.
    """
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.ValidationError as cause:
        raise TicketError(
            f"{request.service} returned an unexpected shape for {request.ticket} ({cause}); "
            "check that the address is that of the service"
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise TicketError(
            f"{request.service} returned JSON that cannot be read for {request.ticket}; try again later"
        ) from None
