"""Issues of Linear, from a server that checks the GraphQL requests."""

from __future__ import annotations

import json

import pytest

from tests.context.ticket.loopback import json_of, serving, status_of
from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.reference import Reference
from wardround.context.ticket.settings import settings_from
from wardround.context.ticket.sources.linear import Linear

REFERENCE = Reference("linear", "ENG-31")
ISSUE = {
    "identifier": "ENG-31",
    "title": "Dark mode",
    "description": "**Acceptance criteria**\n\n1. The theme follows the system\n",
    "url": "https://linear.app/acme/issue/ENG-31/dark-mode",
}


def error(code: str, **extensions: str) -> dict[str, object]:
    return {"message": "lin_api_secret is wrong", "extensions": {"code": code, **extensions}}


def test_an_issue_becomes_a_ticket() -> None:
    with serving(json_of({"data": {"issue": ISSUE}})) as service:
        settings = settings_from(
            {"LINEAR_API_URL": f"{service.url}/graphql", "LINEAR_API_KEY": "lin_api_secret"}
        )
        ticket = Linear(settings).fetch(REFERENCE)

    assert (ticket.key, ticket.title, ticket.source, ticket.url) == (
        "ENG-31", "Dark mode", "linear", ISSUE["url"],
    )  # fmt: skip
    assert [(item.text, item.form) for item in ticket.criteria] == [
        ("The theme follows the system", "numbered")
    ]
    (request,) = service.received
    assert (request.method, request.path) == ("POST", "/graphql")
    assert request.headers["authorization"] == "lin_api_secret"
    assert request.headers["content-type"] == "application/json"
    body = json.loads(request.body)
    assert body["variables"] == {"id": "ENG-31"}
    assert set(body) == {"query", "variables"}
    assert "issue(id: $id)" in body["query"]


def test_the_default_address_is_that_of_linear() -> None:
    assert settings_from({}).linear_api == "https://api.linear.app/graphql"


@pytest.mark.parametrize(
    ("behavior", "words"),
    [
        (json_of({"data": {"issue": None}, "errors": [error("INPUT_ERROR")]}), "no issue ENG-31"),
        (json_of({"data": {"issue": None}}), "no issue ENG-31"),
        (json_of({"errors": [error("RATELIMITED")]}, 400), "rate limit"),
        (
            json_of({"errors": [error("AUTHENTICATION_ERROR", type="authentication error")]}, 400),
            "set LINEAR_API_KEY",
        ),
        (json_of({"errors": [error("OTHER")]}, 400), "no issue ENG-31"),
        (json_of({"data": {"issue": ISSUE}, "errors": [error("FORBIDDEN")]}), "credentials"),
        (status_of(401), "401.*set LINEAR_API_KEY"),
        (status_of(500), "500.*try again later"),
        (json_of({"data": {"issue": {"title": "x"}}}), "unexpected shape.*identifier"),
        (json_of({"data": [1]}), "unexpected shape"),
        (status_of(307, Location="/other"), "redirects ENG-31 to another address"),
    ],
)
def test_an_error_names_the_ticket_and_a_remedy(behavior: object, words: str) -> None:
    with serving(behavior) as service:  # type: ignore[arg-type]
        linear = Linear(settings_from({"LINEAR_API_URL": service.url, "LINEAR_API_KEY": "lin_api_secret"}))
        with pytest.raises(TicketError, match=words) as caught:
            linear.fetch(REFERENCE)

    assert "lin_api_secret" not in str(caught.value)


def test_without_a_key_nothing_is_sent() -> None:
    with serving(json_of({})) as service, pytest.raises(TicketError, match="set LINEAR_API_KEY"):
        Linear(settings_from({"LINEAR_API_URL": service.url})).fetch(REFERENCE)

    assert service.received == []
