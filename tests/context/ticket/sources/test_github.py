"""Issues of GitHub, from a server that checks the requests of its REST API."""

from __future__ import annotations

import pytest

from tests.context.ticket.loopback import json_of, serving, status_of
from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.model import Criterion, Ticket
from wardround.context.ticket.reference import Reference
from wardround.context.ticket.settings import Secret, settings_from
from wardround.context.ticket.sources.github import GitHub

ISSUE = {
    "id": 1001,
    "number": 12,
    "state": "open",
    "title": "Export of orders\u202e",
    "body": "## Acceptance criteria\r\n- [ ] `GET /orders.csv` returns 200\r\n",
    "html_url": "https://github.example/acme/shop/issues/12",
    "labels": [{"name": "feature"}],
    "user": {"login": "kim"},
}
REFERENCE = Reference("github", "acme/shop#12")


def test_an_issue_becomes_a_ticket() -> None:
    with serving(json_of(ISSUE)) as service:
        settings = settings_from({"GITHUB_SERVER_URL": service.url, "GITHUB_TOKEN": "ghp_secret"})
        ticket = GitHub(settings).fetch(REFERENCE)

    assert ticket == Ticket(
        key="acme/shop#12",
        title="Export of orders",
        source="github",
        url="https://github.example/acme/shop/issues/12",
        description="## Acceptance criteria\n- [ ] `GET /orders.csv` returns 200",
        criteria=(Criterion("c1", "`GET /orders.csv` returns 200", "checklist"),),
    )
    (request,) = service.received
    assert (request.method, request.path) == ("GET", "/api/v3/repos/acme/shop/issues/12")
    assert request.headers["authorization"] == "Bearer ghp_secret"
    assert request.headers["accept"] == "application/vnd.github+json"
    assert request.headers["x-github-api-version"] == "2022-11-28"


def test_a_public_issue_needs_no_token() -> None:
    with serving(json_of({**ISSUE, "body": None})) as service:
        ticket = GitHub(settings_from({"GITHUB_API_URL": service.url})).fetch(REFERENCE)

    assert ticket.description == ""
    assert "authorization" not in service.received[0].headers


def test_github_com_has_its_own_api_host() -> None:
    assert settings_from({}).github_api == "https://api.github.com"
    assert settings_from({"GITHUB_SERVER_URL": "https://github.com"}).github_api == "https://api.github.com"
    assert (
        settings_from({"GITHUB_SERVER_URL": "https://ghe.example"}).github_api == "https://ghe.example/api/v3"
    )


def test_a_renamed_repository_is_followed_on_the_same_host() -> None:
    moved = status_of(301, Location="/repositories/7/issues/12")
    with serving(moved, json_of(ISSUE)) as service:
        settings = settings_from({"GITHUB_API_URL": service.url, "GITHUB_TOKEN": "ghp_secret"})
        GitHub(settings).fetch(REFERENCE)

    assert [request.path for request in service.received] == [
        "/repos/acme/shop/issues/12",
        "/repositories/7/issues/12",
    ]


@pytest.mark.parametrize(
    ("behavior", "words"),
    [
        (status_of(401), "401.*missing or wrong; set GITHUB_TOKEN"),
        (status_of(403, x_ratelimit_remaining="0"), "403.*rate limit is used up; set GITHUB_TOKEN or try"),
        (status_of(403), "403.*do not allow it; check the permissions of GITHUB_TOKEN"),
        (status_of(404), "404.*does not exist or is not visible"),
        (status_of(410), "410.*does not exist or is not visible"),
        (status_of(418), "418 for acme/shop#12; check the address"),
        (status_of(500), "500.*the server failed; try again later"),
        (json_of({"number": 12}), "unexpected shape.*title"),
        (json_of([ISSUE]), "unexpected shape"),
        (json_of({**ISSUE, "title": None}), r"unexpected shape.*\$\.title"),
    ],
)
def test_an_error_names_the_ticket_and_a_remedy(behavior: object, words: str) -> None:
    with serving(behavior) as service:  # type: ignore[arg-type]
        github = GitHub(settings_from({"GITHUB_API_URL": service.url, "GITHUB_TOKEN": "ghp_secret"}))
        with pytest.raises(TicketError, match=words) as caught:
            github.fetch(REFERENCE)

    assert "acme/shop#12" in str(caught.value)
    assert "ghp_secret" not in str(caught.value)


def test_a_token_that_the_service_repeats_is_redacted() -> None:
    with serving(json_of({**ISSUE, "body": "debug: ghp_secret", "title": "ghp_secret"})) as service:
        settings = settings_from({"GITHUB_API_URL": service.url, "GITHUB_TOKEN": "ghp_secret"})
        ticket = GitHub(settings).fetch(REFERENCE)

    assert (ticket.title, ticket.description) == ("[redacted]", "debug: [redacted]")


def test_a_secret_does_not_show_itself() -> None:
    settings = settings_from({"GITHUB_TOKEN": "ghp_secret", "JIRA_PAT": "pat_secret"})

    assert "secret" not in repr(settings) + str(settings.github_token) + f"{settings.jira_pat}"
    assert (bool(Secret("")), bool(Secret("x"))) == (False, True)
