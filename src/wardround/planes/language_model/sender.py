"""The requests of one pass: cached, without rejected parameters, repeated after failures that may pass."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from wardround.planes.language_model.completion import Completion, decode_completion
from wardround.planes.language_model.endpoint import Endpoint, RequestRefused, TransientError
from wardround.planes.language_model.parameters import AcceptedParameters

_WAITS_S = (0.5, 1.0, 2.0)
"""The times before the retries of one request, where the endpoint names none."""


class Reply(msgspec.Struct, frozen=True):
    """The completion of a request.

    Attributes:
        is_cached: it was received in an earlier review.
    """

    body: bytes
    completion: Completion
    is_cached: bool


class Sender:
    """Sends the requests of one pass to an endpoint.

    Args:
        deadline: time of the event loop's clock; a retry that would begin later is not made.
        note: called with each body before it is sent, and with the rejected parameters.
    """

    def __init__(
        self, endpoint: Endpoint, deadline: float, note: Callable[[bytes, tuple[str, ...]], None]
    ) -> None:
        self._endpoint = endpoint
        self._deadline = deadline
        self._note = note
        self._accepted = endpoint.memory.parameters.accepted
        self._has_sent = False

    async def send(self, body_with: Callable[[AcceptedParameters], bytes]) -> Reply:
        """Send a request until it is answered.

        Raises:
            EndpointError: it was rejected, or the time does not allow for a further retry.
        """
        await self._wait_for_first()
        for usual_wait in _WAITS_S:
            try:
                return await self._send(body_with)
            except TransientError as cause:
                wait = usual_wait if cause.retry_after is None else cause.retry_after
                if asyncio.get_running_loop().time() + wait >= self._deadline:
                    raise
            await asyncio.sleep(wait)
        return await self._send(body_with)

    def cache(self, reply: Reply) -> None:
        """Cache a usable answer for the next review of the same change."""
        if not reply.is_cached:
            self._endpoint.memory.answers.put(reply.body, reply.completion)

    async def _wait_for_first(self) -> None:
        if not self._has_sent:
            self._has_sent = True
            await self._endpoint.memory.parameters.wait_for_first()

    async def _send(self, body_with: Callable[[AcceptedParameters], bytes]) -> Reply:
        """Send a request, and again without each parameter that the endpoint rejects."""
        parameters = self._endpoint.memory.parameters
        while True:
            self._accepted = self._accepted.merge(parameters.accepted)
            try:
                return await self._post(body_with(self._accepted))
            except RequestRefused as cause:
                accepted = self._accepted.without(cause.named)
                if accepted is None:
                    raise
                self._accepted = accepted
                if cause.named:
                    parameters.restrict_to(accepted)

    async def _post(self, body: bytes) -> Reply:
        self._note(body, self._accepted.refused)
        cached = self._endpoint.memory.answers.get(body)
        completion = decode_completion(await self._endpoint.post(body)) if cached is None else cached
        self._endpoint.memory.parameters.confirm(self._accepted)
        return Reply(body, completion, is_cached=cached is not None)
