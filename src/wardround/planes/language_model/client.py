"""One bounded request to the endpoint of a language model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from wardround.config.language_model import EndpointSettings
from wardround.planes.language_model.endpoint import EndpointError, RequestRefused, TransientError
from wardround.planes.language_model.endpoint_memory import EndpointMemory
from wardround.planes.language_model.event_stream import JoinedStream
from wardround.planes.language_model.parameters import named_in
from wardround.text.retry_after import seconds_until
from wardround.trusted_certificates import trusted_certificates

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 1 << 20
"""Maximum number of a response: 20 findings with their message and quote need 50 KB."""
_TRANSIENT = frozenset({408, 429, 500, 502, 503, 504, 529})

_REFUSED = (400, 422)


class Client:
    """Sends requests to one endpoint.

    Attributes:
        memory: what is known about the parameters of the endpoint.

    Args:
        key: sent as a bearer token; empty for none.
    """

    def __init__(
        self, client: httpx.AsyncClient, settings: EndpointSettings, key: str, memory: EndpointMemory
    ) -> None:
        self._client = client
        self._url = settings.completions_url
        self._slots = asyncio.Semaphore(settings.concurrency)
        self.memory = memory
        self._headers = {
            "Accept": "application/json, text/event-stream",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": "wardround",
            **({"Authorization": f"Bearer {key}"} if key else {}),
        }

    def slot(self) -> asyncio.Semaphore:
        """Wait until fewer passes send requests than the configuration permits."""
        return self._slots

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
                return await _usable_body(response)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as cause:
            raise TransientError(_unreachable(cause)) from None


def open_client(settings: EndpointSettings) -> httpx.AsyncClient:
    """Return a client that follows no redirect, verifies TLS, and uses a proxy only if that is configured."""
    import httpx  # see above

    return httpx.AsyncClient(
        follow_redirects=False,
        timeout=2 * settings.timeout,  # never reached: an exchange has one deadline, with its retries
        trust_env=settings.use_proxy,
        verify=trusted_certificates(settings.completions_url),
    )


async def _usable_body(response: httpx.Response) -> bytes:
    status = response.status_code
    if status in _REFUSED:
        raise _refused_request(status, await _body(response.aiter_raw()))
    if 300 <= status < 400:
        raise EndpointError(f"status {status}: redirects are refused; configure the final address")
    if status != 200:
        raise _refusal(response)
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise EndpointError("the response is compressed, which was not accepted")
    match response.headers.get("content-type", "").partition(";")[0].strip().lower():
        case "application/json":
            return await _body(response.aiter_raw())
        case "text/event-stream":
            return await _join_stream(response.aiter_raw())
    raise EndpointError("the response is not JSON; check the address")


def _refused_request(status: int, body: bytes) -> RequestRefused:
    text = f"status {status}: the request was refused; check the model and its limits"
    return RequestRefused(text, named_in(body))


def _refusal(response: httpx.Response) -> EndpointError:
    status = response.status_code
    if status in (401, 403):
        return EndpointError(f"status {status}: the key is missing or wrong")
    if status == 404:
        return EndpointError("status 404: there is no such model or address")
    if status in _TRANSIENT:
        headers = response.headers
        wait = seconds_until(headers.get("retry-after", ""), headers.get("date", ""), time.time())
        return TransientError(f"status {status}", wait)
    return EndpointError(f"status {status}")


async def _body(chunks: AsyncIterator[bytes]) -> bytes:
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > MOST_BYTES:
            raise EndpointError(f"the response has more than {MOST_BYTES} bytes")
    return bytes(body)


async def _join_stream(chunks: AsyncIterator[bytes]) -> bytes:
    """Return the completion in a stream of events, or the part that arrived before an interruption."""
    import httpx  # see above

    stream = JoinedStream()
    try:
        async for chunk in chunks:
            stream.add(chunk)
            if stream.has_ended:
                break
    except (httpx.HTTPError, OSError):
        if not stream.has_output:
            raise
    return stream.completion()


def _unreachable(cause: Exception) -> str:
    """Return the reason without the message of the cause, which may contain parts of the response or of the
    key.
    """
    import ssl  # slow to import

    found: BaseException | None = cause
    while found is not None:
        if isinstance(found, ssl.SSLError) or "CERTIFICATE_VERIFY_FAILED" in str(found):
            return "the TLS certificate is not accepted"
        found = found.__cause__ or found.__context__
    return f"the endpoint cannot be reached ({type(cause).__name__})"
