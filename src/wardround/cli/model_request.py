"""The request to a language model, printed exactly as it would be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.cli.messages import echo_err
from wardround.cli.run import emit, open_change, with_ticket
from wardround.cli.ticket import requested_ticket

if TYPE_CHECKING:
    from wardround.cli.options import ChangeSpec, TicketSpec
    from wardround.config.request import ReviewRequest


def print_model_request(target: ChangeSpec, request: ReviewRequest, ticket: TicketSpec, plane: str) -> None:
    """Print the body of the request for a plane.

    Raises:
        UsageError: nothing would be sent.
    """
    from wardround import host
    from wardround.execution.fork_executor import ForkExecutor
    from wardround.findings import Plane
    from wardround.model_request import model_request
    from wardround.tools.process import Processes

    loaded = host.load()
    with open_change(target) as (source, change, repository):
        requested = requested_ticket(ticket, source, change, repository, loaded, request)
        request = with_ticket(request, requested)
        found = model_request(source, change, loaded, request, Plane(plane), Processes(), ForkExecutor())
    emit(f"{found.body.decode()}\n", escaped=True)
    if found.note:
        echo_err(f"wardround: {found.note}")
