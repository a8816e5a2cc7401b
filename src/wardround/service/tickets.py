"""The ticket of a submission: its text, or one that the server may fetch from a configured project.

A request decides neither which service is contacted nor which path is read, and a client cannot read the
tickets of a project that the server configuration does not list.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import msgspec

from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.lookup import fetch_ticket
from wardround.context.ticket.model import Ticket
from wardround.context.ticket.reference import Reference, parse_reference
from wardround.context.ticket.settings import TicketSettings, settings_from
from wardround.context.ticket.sources.file import FileTicket, ticket_of_values
from wardround.errors import UsageError

_NAME = "ticket"
Fetch = Callable[[Reference, TicketSettings, Path], Ticket]


class SubmittedTickets(msgspec.Struct, frozen=True):
    """Returns the tickets of submissions.

    Attributes:
        projects: those whose tickets may be fetched.
        environ: the addresses and credentials of the services.
        root: a folder without files.
    """

    projects: Collection[str]
    environ: Mapping[str, str]
    root: Path
    fetch: Fetch = fetch_ticket

    def reference(self, text: str) -> Reference:
        """Return the reference of a ticket that may be fetched.

        Raises:
            UsageError: it is not a reference, or none that the server may fetch.
        """
        if not self.projects:
            raise UsageError("ticket: this server fetches no tickets; send the text as an object")
        try:
            settings = settings_from(self.environ)
            reference = parse_reference(text, settings)
        except TicketError as cause:
            raise UsageError(f"ticket: {cause}") from cause
        is_foreign = bool(reference.site) and reference.site != settings.jira_url
        if reference.source == "file" or is_foreign or _project(reference) not in self.projects:
            raise UsageError("ticket: it is not of a project whose tickets this server fetches")
        return reference

    def ticket(self, requested: str | FileTicket | None) -> Ticket | None:
        """Return the ticket of a submission; None if it has none.

        Raises:
            UsageError: it cannot be fetched or read.
        """
        if requested is None:
            return None
        try:
            if isinstance(requested, str):
                return self.fetch(self.reference(requested), settings_from(self.environ), self.root)
            return ticket_of_values(requested, _NAME)
        except TicketError as cause:
            raise UsageError(f"ticket: {cause}") from cause
        except ModuleNotFoundError as cause:
            raise UsageError(f"ticket: {cause.name} is not installed on the server") from cause


def _project(reference: Reference) -> str:
    """Return ``acme/shop`` of ``acme/shop#12``, and ``SHOP`` of ``SHOP-12``."""
    separator = "#" if reference.source == "github" else "-"
    return reference.key.rpartition(separator)[0]
