"""The option that names the ticket of a change, and the ticket itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.messages import echo_err
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.change.repository import Repository
    from wardround.cli.options import TicketSpec
    from wardround.context.ticket.model import Ticket
    from wardround.context.ticket.reference import Reference
    from wardround.context.ticket.reference_search import FoundReference
    from wardround.session import ReviewSession

AUTO = "auto"
_MOST_FOREIGN = 3
"""Maximum number of messages about tickets of other projects, which a change can name without end."""
ticket_option = click.option(
    "--ticket", default="", metavar="KEY|URL|FILE|auto",
    help="Compare the change with this ticket; auto finds it in the branch, the commits or the pull request.",
)  # fmt: skip


def requested_ticket(
    spec: TicketSpec, session: ReviewSession, repository: Repository | None
) -> Ticket | None:
    """Fetch the requested ticket; nothing is contacted without a request.

    Args:
        repository: the repository of the change; None for a diff file.

    Raises:
        TicketError: it cannot be found, fetched or read.
        ConfigError: the configuration, which lists the projects of a ticket, is wrong.
    """
    if not spec.reference:
        return None
    from wardround.context.ticket.lookup import fetch_ticket
    from wardround.context.ticket.reference import parse_reference
    from wardround.context.ticket.settings import settings_from

    settings = settings_from(os.environ)
    if spec.reference != AUTO:
        reference = parse_reference(spec.reference, settings)
    else:
        found = _named_in(spec, session, repository)
        if found is None:
            return None
        reference = found
    if spec.offline and reference.source != "file":
        raise UsageError(f"--offline: the ticket {reference.key} is on the network; give a file")
    return fetch_ticket(reference, settings, Path.cwd())


def _named_in(spec: TicketSpec, session: ReviewSession, repository: Repository | None) -> Reference | None:
    """Return the ticket of this project that the change names; None if it names none."""
    from wardround.context.ticket.reference_search import choose, find_references
    from wardround.context.ticket.settings import settings_from

    settings = settings_from(
        os.environ,
        projects=session.under_review.config.root.tickets.projects,
        own_repository=_repository_name(repository),
    )
    messages = session.source.messages(session.change)
    found = find_references(settings, branch=spec.branch, messages=messages, title=spec.title, body=spec.body)
    own = [reference for reference in found if not reference.is_foreign]
    _report_foreign([reference for reference in found if reference.is_foreign])
    if own:
        return choose(own)
    whose = " of this project" if found else ""
    echo_err(f"wardround: --ticket auto: the change names no ticket{whose}")
    return None


def _repository_name(repository: Repository | None) -> str:
    """Return ``owner/name`` of a clone; empty if its origin does not have one."""
    if repository is None or not (origin := repository.origin()):
        return ""
    from wardround.change.repository_name import find_repository_name

    name = find_repository_name(Path(), origin)
    return name if "/" in name else ""


def _report_foreign(found: Sequence[FoundReference]) -> None:
    for reference in found[:_MOST_FOREIGN]:
        echo_err(f"wardround: --ticket auto: {reference.problem}")
