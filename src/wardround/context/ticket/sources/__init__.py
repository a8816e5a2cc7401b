"""The services that tickets are fetched from, one module each."""

from __future__ import annotations

from typing import Protocol

from wardround.context.ticket.model import Ticket
from wardround.context.ticket.reference import Reference


class TicketSource(Protocol):
    """A service or a folder that has tickets."""

    def fetch(self, reference: Reference) -> Ticket:
        """Return the ticket.

        Raises:
            TicketError: it cannot be fetched or read.
        """
