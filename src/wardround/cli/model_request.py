"""The requests to a language model: one printed exactly as it would be sent, or the cost of all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wardround.cli.messages import echo_err
from wardround.cli.run import emit, open_change
from wardround.cli.ticket import requested_ticket

if TYPE_CHECKING:
    from wardround.cli.options import ChangeSpec, TicketSpec
    from wardround.config.request import ReviewRequest
    from wardround.model_request import ReviewedChange
    from wardround.planes.language_model.review_cost import PassCost, ReviewCost

COST = "cost"
"""The option value that prints the cost of all planes instead of the request for one."""
_LATENCY_S = 0.5
"""The latency of a request in the estimate; models that reason take many times as long."""


def print_model_request(target: ChangeSpec, request: ReviewRequest, ticket: TicketSpec, choice: str) -> None:
    """Print the body of the request for a plane, or the cost of all requests.

    Raises:
        UsageError: nothing would be sent.
    """
    from wardround.findings import Plane
    from wardround.model_request import model_request, requests_cost

    with _review_target(target, request, ticket) as reviewed:
        if choice == COST:
            cost, note = requests_cost(reviewed)
            emit("".join(f"{line}\n" for line in _lines(cost)))
        else:
            found = model_request(reviewed, Plane(choice))
            note = found.note
            emit(f"{found.body.decode()}\n", escaped=True)
    if note:
        echo_err(f"wardround: {note}")


@contextmanager
def _review_target(
    target: ChangeSpec, request: ReviewRequest, ticket: TicketSpec
) -> Iterator[ReviewedChange]:
    from wardround import host
    from wardround.execution.fork_executor import ForkExecutor
    from wardround.execution.resources import Resources
    from wardround.model_request import reviewed_change
    from wardround.session import ReviewSession

    resources = Resources(executor=ForkExecutor())
    with (
        open_change(target) as (source, _, repository),
        ReviewSession(source, host.load(), request, resources) as session,
    ):
        requested = requested_ticket(ticket, session, repository)
        yield reviewed_change(session.with_ticket(requested))


def _lines(cost: ReviewCost) -> Iterator[str]:
    yield f"{'plane':<12}{'first pass':>12}{'second pass':>13}  estimated tokens in"
    for plane in cost.planes:
        cached = "  first pass cached" if plane.is_cached else ""
        yield f"{plane.plane:<12}{plane.first:>12,}{plane.second:>13,}{cached}"
    yield f"first pass: {_total(cost.first_pass)}"
    yield f"second pass, if every plane makes claims: {_total(cost.second_pass)}"
    yield "  and the claims, with the code that they name"
    least, most = cost.seconds(_LATENCY_S)
    at_a_time = f"{cost.concurrency} at a time"
    yield f"{least:.1f} s without claims, {most:.1f} s with claims, at {_LATENCY_S} s a request, {at_a_time}"


def _total(total: PassCost) -> str:
    requests = "1 request" if total.requests == 1 else f"{total.requests} requests"
    return f"{requests}, about {total.tokens_in:,} tokens in, at most {total.tokens_out:,} out"
