"""Fetching the ticket that a caller requested: the only entry that contacts a service."""

from __future__ import annotations

from pathlib import Path

from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.model import Ticket
from wardround.context.ticket.reference import Reference
from wardround.context.ticket.settings import ATLASSIAN_CLOUD, TicketSettings
from wardround.context.ticket.sources import TicketSource
from wardround.context.ticket.sources.file import TicketFile
from wardround.context.ticket.sources.github import GitHub
from wardround.context.ticket.sources.http import Limits
from wardround.context.ticket.sources.jira import JiraCloud, JiraServer
from wardround.context.ticket.sources.linear import Linear


def fetch_ticket(
    reference: Reference, settings: TicketSettings, root: Path, limits: Limits | None = None
) -> Ticket:
    """Fetch a ticket; at most the service of the reference is contacted. Not to be called in an event loop.

    Args:
        root: the folder that the path of a file is relative to.

    Raises:
        TicketError: it cannot be fetched or read, or the extra ``tickets`` is not installed.
    """
    try:
        return source_of(reference, settings, root, limits).fetch(reference)
    except ModuleNotFoundError as missing:
        if missing.name not in ("httpx", "markdown_it"):
            raise
        raise TicketError(
            f"{missing.name} is not installed, which a ticket needs; install wardround[tickets]"
        ) from None


def source_of(
    reference: Reference, settings: TicketSettings, root: Path, limits: Limits | None = None
) -> TicketSource:
    """Return the service of a reference. A Jira with ``JIRA_PAT`` is a server unless it is at Atlassian."""
    match reference.source:
        case "file":
            return TicketFile(root)
        case "github":
            return GitHub(settings, limits)
        case "linear":
            return Linear(settings, limits)
        case "jira":
            return (
                JiraServer(settings, limits)
                if _is_server(reference, settings)
                else JiraCloud(settings, limits)
            )


def _is_server(reference: Reference, settings: TicketSettings) -> bool:
    site = reference.site or settings.jira_url
    if site.endswith(ATLASSIAN_CLOUD):
        return False
    return bool(settings.jira_pat) or not settings.jira_api_token
