"""The error of a ticket that cannot be used."""

from __future__ import annotations

from wardround.errors import UsageError


class TicketError(UsageError):
    """A ticket reference is invalid, or the ticket cannot be fetched or read; the message never contains a
    token.
    """
