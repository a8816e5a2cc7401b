"""The option that names the ticket of a change, and the ticket itself."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from wardround.cli.messages import echo_err
from wardround.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from wardround.change.change_source import ChangeSource
    from wardround.change.diff import Change
    from wardround.cli.options import TicketSpec
    from wardround.context.ticket.model import Ticket

AUTO = "auto"
ticket_option = click.option(
    "--ticket", default="", metavar="KEY|URL|FILE|auto",
    help="Compare the change with this ticket; auto finds it in the branch, the commits or the pull request.",
)  # fmt: skip


def requested_ticket(spec: TicketSpec, source: ChangeSource, change: Change, root: Path) -> Ticket | None:
    """Fetch the requested ticket; nothing is contacted without a request.

    Raises:
        TicketError: it cannot be found, fetched or read.
    """
    if not spec.reference:
        return None
    from wardround.context.ticket.lookup import fetch_ticket
    from wardround.context.ticket.reference import parse_reference
    from wardround.context.ticket.reference_search import chosen, find_references
    from wardround.context.ticket.settings import settings_from

    settings = settings_from(os.environ)
    if spec.reference != AUTO:
        reference = parse_reference(spec.reference, settings)
    else:
        found = find_references(
            settings, branch=spec.branch, messages=source.messages(change), title=spec.title, body=spec.body
        )
        if not found:
            echo_err("wardround: --ticket auto: the change names no ticket")
            return None
        reference = chosen(found)
    if spec.offline and reference.source != "file":
        raise UsageError(f"--offline: the ticket {reference.key} is on the network; give a file")
    return fetch_ticket(reference, settings, root)
