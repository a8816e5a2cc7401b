"""One bounded request to the endpoint of a language model."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import msgspec

from wardround.config.language_model import LanguageModelSettings
from wardround.planes.language_model.parameters import named_in

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 1 << 20
"""The limit on a response: 20 findings with their message and quote need 50 KB."""
_LONGEST_WAIT_S = 20.0
"""The longest ``Retry-After`` that is respected; a longer one ends the exchange."""
_USUAL_WAIT_S = 0.5
"""The time before the second request without ``Retry-After``."""
_TRANSIENT = frozenset({408, 429, 500, 502, 503, 504, 529})

_REFUSED = (400, 422)


class EndpointError(Exception):
    """The endpoint returned nothing usable.

    The text is the reason, without anything that the endpoint sent.

    Attributes:
        retry_after: seconds after which a second request may succeed; None if it would not.
    """

    def __init__(self, text: str, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.retry_after = retry_after


class RequestRefused(EndpointError):
    """The endpoint refused the request, possibly since it does not support one of its parameters.

    Attributes:
        named: the parameters that the refusal names.
    """

    def __init__(self, text: str, named: frozenset[str]) -> None:
        super().__init__(text)
        self.named = named


class Client:
    """Sends requests to one endpoint.

    Args:
        key: sent as a bearer token; empty for none.
    """

    def __init__(self, client: httpx.AsyncClient, url: str, key: str) -> None:
        self._client = client
        self._url = url
        self._headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": "wardround",
            **({"Authorization": f"Bearer {key}"} if key else {}),
        }

    async def post(self, body: bytes) -> bytes:
        """Return the body of a successful response in JSON.

        Raises:
            EndpointError: anything else.
        """
        import httpx  # an optional dependency, and slow to import

        try:
            async with self._client.stream(
                "POST", self._url, content=body, headers=self._headers
            ) as response:
                if response.status_code in _REFUSED:
                    raise _refused_request(response.status_code, await _body(response.aiter_raw()))
                _require_usable(response)
                return await _body(response.aiter_raw())
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as cause:
            raise EndpointError(_unreachable(cause), _USUAL_WAIT_S) from None


def open_client(settings: LanguageModelSettings) -> httpx.AsyncClient:
    """Return a client that follows no redirect, verifies TLS, and uses a proxy only if that is configured."""
    import httpx  # see above

    return httpx.AsyncClient(
        follow_redirects=False,
        timeout=2 * settings.timeout,  # never reached: an exchange has one deadline, with its retries
        trust_env=settings.use_proxy,
        verify=httpx.create_ssl_context(trust_env=True),  # the certificates that SSL_CERT_FILE names
    )


def _require_usable(response: httpx.Response) -> None:
    status = response.status_code
    if 300 <= status < 400:
        raise EndpointError(f"status {status}: redirects are refused; configure the final address")
    if status != 200:
        raise _refusal(status, response.headers.get("retry-after", ""))
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise EndpointError("the response is compressed, which was not accepted")
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise EndpointError("the response is not JSON; check the address")


def _refused_request(status: int, body: bytes) -> RequestRefused:
    text = f"status {status}: the request was refused; check the model and its limits"
    return RequestRefused(text, named_in(body))


def _refusal(status: int, retry_after: str) -> EndpointError:
    if status in (401, 403):
        return EndpointError(f"status {status}: the key is missing or wrong")
    if status == 404:
        return EndpointError("status 404: there is no such model or address")
    if status in _TRANSIENT:
        return EndpointError(f"status {status}", _wait(retry_after))
    return EndpointError(f"status {status}")


def _wait(retry_after: str) -> float | None:
    """The seconds of a ``Retry-After`` header; None if they are too many. A date counts as no header."""
    try:
        seconds = float(retry_after)
    except ValueError:
        return _USUAL_WAIT_S
    return max(0.0, seconds) if math.isfinite(seconds) and seconds <= _LONGEST_WAIT_S else None


async def _body(chunks: AsyncIterator[bytes]) -> bytes:
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > MOST_BYTES:
            raise EndpointError(f"the response has more than {MOST_BYTES} bytes")
    return bytes(body)


def _unreachable(cause: Exception) -> str:
    """The reason without the text of the cause, which may have parts of the response or of the key."""
    import ssl  # slow to import

    found: BaseException | None = cause
    while found is not None:
        if isinstance(found, ssl.SSLError) or "CERTIFICATE_VERIFY_FAILED" in str(found):
            return "the TLS certificate is not accepted"
        found = found.__cause__ or found.__context__
    return f"the endpoint cannot be reached ({type(cause).__name__})"


class Usage(msgspec.Struct, frozen=True):
    """The numbers of tokens."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class Message(msgspec.Struct, frozen=True):
    """The message of a choice."""

    content: str | None = None
    refusal: str | None = None


class Choice(msgspec.Struct, frozen=True):
    """One choice of a completion."""

    message: Message
    finish_reason: str | None = None


class Completion(msgspec.Struct, frozen=True):
    """A chat completion; fields that are not used here are not read."""

    choices: tuple[Choice, ...]
    model: str | None = None
    usage: Usage | None = None


def decode_completion(body: bytes) -> Completion:
    """Return the completion in a response.

    Raises:
        EndpointError: it is not one.
    """
    try:
        return msgspec.json.decode(body, type=Completion)
    except (ValueError, RecursionError):
        raise EndpointError("the response is not a chat completion", _USUAL_WAIT_S) from None
