"""Errors of code hosts."""

from __future__ import annotations

from wardround.errors import UsageError, WardroundError


class HostError(WardroundError):
    """A code host failed or cannot be reached; what was written remains, and another run continues."""


class RefusedByHost(UsageError):
    """A code host refused a request: the credentials, the address or the state of the change request.

    Attributes:
        status: of the response.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class LostResponse(HostError):
    """A request that is not idempotent may have been carried out: read the state before it is repeated."""
