"""A submission has a ticket as text, or as a reference that the server configuration permits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.service.conftest import Server, new_file
from wardround.context.ticket.model import Ticket
from wardround.context.ticket.reference import Reference
from wardround.context.ticket.settings import TicketSettings
from wardround.context.ticket.sources.file import FileTicket, ticket_of_values
from wardround.errors import UsageError
from wardround.service.tickets import SubmittedTickets

ENVIRON = {"JIRA_URL": "https://acme.atlassian.net"}
TEXT = {"title": "Totals", "key": "SHOP-7", "criteria": ["The total is 0 for an empty basket"]}
PROJECTS = ("acme/shop", "SHOP")


def _fetched(reference: Reference, settings: TicketSettings, root: Path) -> Ticket:
    return ticket_of_values(FileTicket(title=reference.key), reference.key)


def tickets(*projects: str) -> SubmittedTickets:
    return SubmittedTickets(projects, ENVIRON, Path("/nonexistent"), _fetched)


@pytest.mark.parametrize(
    "reference",
    [
        "SHOP-12",
        "acme/shop#3",
        "https://github.com/acme/shop/issues/3",
        "https://acme.atlassian.net/browse/SHOP-1",
    ],
)
def test_a_ticket_of_a_configured_project_is_fetched(reference: str) -> None:
    found = tickets(*PROJECTS).ticket(reference)
    assert found is not None
    assert found.title.startswith(("SHOP-", "acme/shop#"))


@pytest.mark.parametrize(
    "reference",
    [
        "OTHER-1",
        "acme/secrets#3",
        "https://evil.example/browse/SHOP-1",
        "https://evil.atlassian.net/browse/SHOP-1",
        "/etc/passwd",
        "ticket.md",
        "",
        "no ticket at all",
    ],
)
def test_any_other_ticket_is_rejected_before_anything_is_contacted(reference: str) -> None:
    with pytest.raises(UsageError, match=r"^ticket: "):
        tickets(*PROJECTS).reference(reference)


def test_without_projects_no_ticket_is_fetched() -> None:
    with pytest.raises(UsageError, match="this server fetches no tickets; send the text as an object"):
        tickets().reference("SHOP-12")


def test_the_text_of_a_ticket_needs_no_permission() -> None:
    found = tickets().ticket(FileTicket("Totals", criteria=("The total is 0",)))
    assert found is not None
    assert (found.title, len(found.criteria)) == ("Totals", 1)


def test_a_review_has_its_ticket_and_its_record_names_it(
    new_server: Callable[..., Server], repo: GitRepository
) -> None:
    repo.commit({"app.py": "def total(prices):\n    return sum(prices)\n"})
    repo.git("checkout", "--quiet", "-b", "feature")
    repo.commit({"app.py": "def total(prices):\n    return sum(prices) if prices else 0\n"})
    server = new_server(repositories={"shop": repo.root})
    change = {"repository": "shop", "base": "main", "head": "feature"}
    plain = server.wait_for(server.submit(change), "done", "failed")
    found = server.wait_for(server.submit({**change, "ticket": TEXT}), "done", "failed")
    assert (plain["status"], found["status"]) == ("done", "done"), found["reason"]
    assert found["report"]["context"]["id"] != plain["report"]["context"]["id"]
    assert "SHOP-7" in str(found["report"])


@pytest.mark.parametrize(
    ("options", "status", "detail"),
    [
        ({"ticket": "SHOP-12"}, 422, "ticket: this server fetches no tickets; send the text as an object"),
        ({"ticket": {"title": "x" * 300_000}}, 413, "the ticket exceeds 262144 bytes; shorten it"),
        ({"ticket": {"description": "x"}}, 422, "object missing required field `title` - at `$.ticket`"),
        ({"ticket": 12}, 422, "expected `str | object | null`, got `int` - at `$.ticket`"),
        ({"run": ["tests"]}, 422, "a diff cannot be run; give repository with base and head"),
        ({"run": ["rm"]}, 422, "invalid enum value 'rm' - at `$.run[0]`"),
    ],
)
def test_an_option_that_is_not_permitted_is_a_problem(
    route_server: Server, options: dict[str, Any], status: int, detail: str
) -> None:
    with route_server.client() as client:
        found = client.post("/v1/reviews", json={"diff": new_file("a.py", "x = 1\n"), **options})
    assert (found.status_code, found.json()["detail"]) == (status, detail)
