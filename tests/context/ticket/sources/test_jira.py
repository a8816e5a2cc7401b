"""Issues of Jira Cloud and of Jira Server, from servers that check the requests of their REST APIs."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.context.ticket.loopback import json_of, serving, status_of
from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.reference import Reference
from wardround.context.ticket.settings import settings_from
from wardround.context.ticket.sources.jira import JiraCloud, JiraServer

REFERENCE = Reference("jira", "SHOP-7")


def text_document(*paragraphs: str) -> dict[str, Any]:
    content = [{"type": "paragraph", "content": [{"type": "text", "text": line}]} for line in paragraphs]
    return {"version": 1, "type": "doc", "content": content}


CLOUD_ISSUE = {
    "expand": "names",
    "id": "10007",
    "key": "SHOP-7",
    "self": "https://shop.example/rest/api/3/issue/10007",
    "fields": {
        "summary": "Refunds",
        "description": text_document("Refunds are slow."),
        "customfield_10031": text_document("AC1: A refund returns 202", "AC2: A refund is logged"),
        "customfield_10032": None,
        "customfield_10040": [
            {"name": "Docs are updated", "checked": False},
            "Metrics exist",
            {"rank": 1},
            3,
        ],
        "customfield_10050": text_document("- not a criterion"),
    },
    "names": {
        "summary": "Summary",
        "description": "Description",
        "customfield_10031": "Acceptance Criteria",
        "customfield_10032": "Acceptance criteria (old)",
        "customfield_10040": "Definition of Done",
        "customfield_10050": "Release notes",
    },
}
SERVER_ISSUE = {
    "id": "10007",
    "key": "SHOP-7",
    "fields": {
        "summary": "Refunds",
        "description": "h2. Acceptance criteria\n* A refund returns {{202}}",
        "customfield_10031": "# It is logged",
    },
    "names": {"customfield_10031": "AC"},
}


def test_an_issue_of_jira_cloud() -> None:
    environment = {"JIRA_EMAIL": "kim@shop.example", "JIRA_API_TOKEN": "ATATT-secret"}
    with serving(json_of(CLOUD_ISSUE)) as service:
        ticket = JiraCloud(settings_from({**environment, "JIRA_URL": service.url})).fetch(REFERENCE)

    assert (ticket.key, ticket.title, ticket.source) == ("SHOP-7", "Refunds", "jira")
    assert ticket.url == f"{service.url}/browse/SHOP-7"
    assert [(item.id, item.text, item.form) for item in ticket.criteria] == [
        ("AC1", "A refund returns 202", "section"),
        ("AC2", "A refund is logged", "section"),
        ("c3", "Docs are updated", "checklist"),
        ("c4", "Metrics exist", "checklist"),
    ]
    assert ticket.unparsed == ()
    (request,) = service.received
    address = urlsplit(request.path)
    assert address.path == "/rest/api/3/issue/SHOP-7"
    query = parse_qs(address.query)
    assert query["expand"] == ["names"]
    assert query["fields"][0].split(",")[:2] == ["*all", "-comment"]
    pair = base64.b64decode(request.headers["authorization"].removeprefix("Basic ")).decode()
    assert pair == "kim@shop.example:ATATT-secret"


def test_an_issue_of_jira_server_below_a_context_path() -> None:
    with serving(json_of(SERVER_ISSUE)) as service:
        settings = settings_from({"JIRA_URL": f"{service.url}/jira/", "JIRA_PAT": "pat-secret"})
        ticket = JiraServer(settings).fetch(REFERENCE)

    assert (
        ticket.description == "## Acceptance criteria\n\n- A refund returns `202`\n\n## AC\n\n1. It is logged"
    )
    assert [item.text for item in ticket.criteria] == ["A refund returns `202`", "It is logged"]
    assert ticket.url == f"{service.url}/jira/browse/SHOP-7"
    (request,) = service.received
    assert urlsplit(request.path).path == "/jira/rest/api/2/issue/SHOP-7"
    assert request.headers["authorization"] == "Bearer pat-secret"


def test_an_anonymous_request_has_no_credentials() -> None:
    with serving(json_of(SERVER_ISSUE)) as service:
        JiraServer(settings_from({"JIRA_URL": service.url})).fetch(REFERENCE)

    assert "authorization" not in service.received[0].headers


def test_a_moved_issue_has_its_new_key() -> None:
    with serving(json_of({**SERVER_ISSUE, "key": "PAY-9"})) as service:
        ticket = JiraServer(settings_from({"JIRA_URL": service.url})).fetch(REFERENCE)

    assert (ticket.key, ticket.url) == ("PAY-9", f"{service.url}/browse/PAY-9")


@pytest.mark.parametrize(
    ("behavior", "words"),
    [
        (status_of(401), "set JIRA_EMAIL and JIRA_API_TOKEN"),
        (status_of(403), "JIRA_EMAIL and JIRA_API_TOKEN"),
        (status_of(404), "SHOP-7.*not exist"),
        (json_of({"key": "SHOP-7"}), "unexpected shape.*fields"),
        (json_of({"key": "SHOP-7", "fields": {}}), "no summary"),
        (json_of({"key": "SHOP-7", "fields": {"summary": 3}}), "no summary"),
        (json_of({"key": "SHOP-7", "fields": {"summary": "x"}, "names": {"a": 1}}), "unexpected shape"),
        (json_of({"errorMessages": ["Issue does not exist"]}, 404), "not exist"),
    ],
)
def test_an_error_names_the_ticket_and_a_remedy(behavior: object, words: str) -> None:
    environment = {"JIRA_EMAIL": "kim@shop.example", "JIRA_API_TOKEN": "ATATT-secret"}
    with serving(behavior) as service:  # type: ignore[arg-type]
        jira = JiraCloud(settings_from({**environment, "JIRA_URL": service.url}))
        with pytest.raises(TicketError, match=words) as caught:
            jira.fetch(REFERENCE)

    assert "ATATT-secret" not in str(caught.value)


def test_the_pair_of_basic_authentication_is_redacted_too() -> None:
    pair = base64.b64encode(b"kim@shop.example:ATATT-secret").decode()
    fields = {"summary": pair, "description": text_document("ATATT-secret")}
    environment = {"JIRA_EMAIL": "kim@shop.example", "JIRA_API_TOKEN": "ATATT-secret"}
    with serving(json_of({"key": "SHOP-7", "fields": fields})) as service:
        ticket = JiraCloud(settings_from({**environment, "JIRA_URL": service.url})).fetch(REFERENCE)

    assert (ticket.title, ticket.description) == ("[redacted]", "[redacted]")


def test_a_site_is_required() -> None:
    with pytest.raises(TicketError, match="set JIRA_URL"):
        JiraCloud(settings_from({})).fetch(REFERENCE)


@pytest.mark.parametrize(
    ("client", "credentials"),
    [
        (JiraCloud, {"JIRA_EMAIL": "kim@shop.example", "JIRA_API_TOKEN": "t"}),
        (JiraServer, {"JIRA_PAT": "p"}),
    ],
)
def test_an_address_alone_gets_no_token(
    client: type[JiraCloud] | type[JiraServer], credentials: dict[str, str]
) -> None:
    with serving(status_of(401)) as service:
        named = Reference("jira", "SHOP-7", service.url)
        with pytest.raises(TicketError, match="set JIRA_URL, and JIRA_"):
            client(settings_from(credentials)).fetch(named)
        with pytest.raises(TicketError, match="set JIRA_"):
            client(settings_from({**credentials, "JIRA_URL": service.url})).fetch(named)

    assert ["authorization" in item.headers for item in service.received] == [False, True]
