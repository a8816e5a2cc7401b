"""The endpoint of a language model as the planes use it, and its errors."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wardround.planes.language_model.endpoint_memory import EndpointMemory


class Endpoint(Protocol):
    """The endpoint of a language model, or a file exchange that replaces it."""

    @property
    def memory(self) -> EndpointMemory:
        """The answers to earlier requests, and the parameters that they had to omit."""

    def slot(self) -> AbstractAsyncContextManager[object]:
        """Wait until a further pass may send its requests, one at a time."""

    async def post(self, body: bytes) -> bytes:
        """Return the body of a successful response; raise ``EndpointError`` for anything else."""


class EndpointError(Exception):
    """The endpoint returned nothing usable.

    The text is the reason, without anything that the endpoint sent.
    """


class TransientError(EndpointError):
    """A failure after which the same request may succeed.

    Attributes:
        retry_after: seconds after which the endpoint permits another request; None if it states no time.
    """

    def __init__(self, text: str, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.retry_after = retry_after


class RequestRefused(EndpointError):
    """The endpoint rejected the request, possibly because it does not support one of its parameters.

    Attributes:
        named: the parameters that the refusal names.
    """

    def __init__(self, text: str, named: frozenset[str]) -> None:
        super().__init__(text)
        self.named = named
