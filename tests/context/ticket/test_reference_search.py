"""References are found in branch names, commits and pull requests, without any I/O, in a documented order."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.reference_search import MAX_FOUND, Origin, choose, find_references
from wardround.context.ticket.settings import settings_from

SETTINGS = settings_from({"JIRA_URL": "https://jira.example"}, github_repository="acme/shop")


def keys(**texts: object) -> list[str]:
    return [
        reference.reference.key if reference.reference else reference.text
        for reference in find_references(SETTINGS, **texts)
    ]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("branch", "found"),
    [
        ("feature/SHOP-123-export", ["SHOP-123"]),
        ("SHOP-123", ["SHOP-123"]),
        ("refs/heads/fix/SHOP-9_x", ["SHOP-9"]),
        ("shop-12-export", ["SHOP-12"]),
        ("kim/eng-12-dark-mode", ["ENG-12"]),
        ("feature/SHOP-1-and-SHOP-2", ["SHOP-1", "SHOP-2"]),
        ("123-fix", ["acme/shop#123"]),
        ("issue-12", ["acme/shop#12"]),
        ("fix/issue-12", ["acme/shop#12"]),
        ("fix-12", ["acme/shop#12"]),
        ("fix/12", ["acme/shop#12"]),
        ("bugfix/gh-33-x", ["acme/shop#33"]),
        ("main", []),
        ("release/1.2", []),
        ("release-2024-10", []),
        ("2024-01-15-cleanup", []),
        ("utf-8-names", []),
        ("feature/UTF-8-names", []),
        ("feature/python-3-support", []),
        ("3-way-merge", []),
        ("v2-1", []),
        ("dependabot/npm/lodash-4", []),
        ("CVE-2024-1234", []),
        ("", []),
        ("x" * 100_000, []),
    ],
)
def test_the_name_of_a_branch(branch: str, found: list[str]) -> None:
    assert keys(branch=branch) == found


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Export\n\nCloses: #12\n", ["acme/shop#12"]),
        ("Export\n\nRefs: SHOP-1, SHOP-2\n", ["SHOP-1", "SHOP-2"]),
        ("Fixes #12", ["acme/shop#12"]),
        ("This resolves other/lib#4 and SHOP-8.", ["other/lib#4", "SHOP-8"]),
        ("Export\n\nTicket: https://jira.example/browse/SHOP-3\n", ["SHOP-3"]),
        ("Export\n\nJira: SHOP-9\n", ["SHOP-9"]),
        ("[SHOP-4] Export", ["SHOP-4"]),
        ("feat(csv)!: SHOP-5 export", ["SHOP-5"]),
        ("SHOP-6: export", ["SHOP-6"]),
        ("#7: export", ["acme/shop#7"]),
        ("Fixes https://github.com/acme/shop/issues/9.", ["acme/shop#9"]),
        ("fixes UTF-8 handling", []),
        ("fix the crash of #12 in passing", []),
        ("discloses #3", []),
        ("Export in one commit", []),
    ],
)
def test_a_commit_message(message: str, found: list[str]) -> None:
    assert keys(messages=[message]) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("Closes #1, #2 and #3", ["acme/shop#1", "acme/shop#2", "acme/shop#3"]),
        ("**Ticket**: SHOP-1", ["SHOP-1"]),
        ("See https://jira.example/browse/SHOP-2 for details", ["SHOP-2"]),
        ("<!-- Closes #ISSUE or Closes #1 -->\nText", []),
        ("`Closes #1`\n```\nCloses #2\n```\n", []),
    ],
)
def test_the_body_of_a_pull_request(body: str, found: list[str]) -> None:
    assert keys(body=body) == found


def test_the_order_of_origins() -> None:
    found = find_references(
        SETTINGS,
        branch="SHOP-40-x",
        messages=["SHOP-60: x\n\nCloses SHOP-20\nTicket: SHOP-31\nRefs: SHOP-80"],
        title="SHOP-50: x",
        body="Closes SHOP-10\nTicket: SHOP-30\nhttps://jira.example/browse/SHOP-70\nRefs: SHOP-75",
    )

    assert [item.text.rpartition("/")[2] for item in found] == [
        "SHOP-10", "SHOP-20", "SHOP-30", "SHOP-31", "SHOP-40", "SHOP-50", "SHOP-60", "SHOP-70", "SHOP-75",
         "SHOP-80",
    ]  # fmt: skip
    assert [item.origin for item in found] == sorted(Origin)
    assert choose(found).key == "SHOP-10"


def test_a_ticket_is_listed_once_by_its_best_origin() -> None:
    found = find_references(SETTINGS, branch="SHOP-1-x", messages=["x\n\nCloses SHOP-1", "y\n\nRefs: SHOP-1"])

    assert [(item.text, item.origin) for item in found] == [("SHOP-1", Origin.COMMIT_CLOSES)]


def test_a_site_that_only_a_text_names_is_not_contacted() -> None:
    settings = settings_from({"JIRA_EMAIL": "kim@shop.example", "JIRA_API_TOKEN": "t"})

    (found,) = find_references(settings, body="Closes https://evil.atlassian.net/browse/SHOP-1")

    assert found.reference is None
    with pytest.raises(TicketError, match="not at the configured Jira site"):
        choose([found])


def test_a_reference_without_its_service_is_listed_with_the_reason() -> None:
    (found,) = find_references(settings_from({}), branch="SHOP-1-x")

    assert (found.reference, found.text) == (None, "SHOP-1")
    assert "set JIRA_URL" in found.problem


def test_the_first_configured_reference_is_chosen() -> None:
    settings = settings_from({}, github_repository="acme/shop")

    found = find_references(settings, branch="SHOP-1-x", messages=["x\n\nRefs: #5"])

    assert choose(found).key == "acme/shop#5"


@pytest.mark.parametrize(
    ("configured", "body", "foreign"),
    [
        ({"github_repository": "acme/shop"}, "Closes evil/repo#1", ["evil/repo#1"]),
        ({"github_repository": "Acme/Shop"}, "Closes acme/shop#1", []),
        ({"github_repository": "acme/shop"}, "Closes #1", []),
        ({"own_repository": "acme/shop"}, "Closes https://github.com/evil/shop/issues/1",
         ["https://github.com/evil/shop/issues/1"]),
        ({"own_repository": "other/fork", "github_repository": "acme/shop"}, "Closes other/fork#1",
         ["other/fork#1"]),
        ({}, "Closes acme/shop#1", ["acme/shop#1"]),
        ({}, "Closes https://github.com/acme/shop/issues/1", ["https://github.com/acme/shop/issues/1"]),
        ({"projects": ["acme/shop"]}, "Closes evil/repo#1", ["evil/repo#1"]),
        ({"projects": ["acme/shop"], "github_repository": "acme/app"}, "Closes #1", ["#1"]),
        ({"projects": ["acme/shop", "SHOP"]}, "Closes acme/shop#1, SHOP-2 and EVIL-3", ["EVIL-3"]),
        ({"projects": ["shop"]}, "Closes https://jira.example/browse/SHOP-2", []),
        ({"projects": ["SHOP"]}, "Closes https://jira.example/browse/SHOPS-2",
         ["https://jira.example/browse/SHOPS-2"]),
        ({}, "Closes ANY-2", []),
    ],
)  # fmt: skip
def test_a_change_names_only_tickets_of_its_project(
    configured: dict[str, Any], body: str, foreign: list[str]
) -> None:
    found = find_references(settings_from({"JIRA_URL": "https://jira.example"}, **configured), body=body)

    assert [item.text for item in found if item.is_foreign] == foreign
    assert all(
        item.reference is None and "tickets.projects" in item.problem for item in found if item.is_foreign
    )


def test_a_ticket_of_another_project_does_not_replace_that_of_this_one() -> None:
    found = find_references(SETTINGS, branch="12-export", body="Closes evil/repo#1")

    assert choose(found).key == "acme/shop#12"


def test_no_reference_is_an_error_that_names_the_option() -> None:
    with pytest.raises(TicketError, match="give --ticket"):
        choose(find_references(SETTINGS, branch="main"))


def test_the_number_of_references_is_limited() -> None:
    found = find_references(SETTINGS, body=" ".join(f"Closes #{number}" for number in range(1, 5000)))

    assert len(found) == MAX_FOUND


@pytest.mark.parametrize(
    "text", ["Closes " * 20_000, "#" * 100_000, "```" * 30_000, "<!--" * 30_000, "a-1" * 30_000]
)
def test_hostile_text_is_searched_within_limits(text: str) -> None:
    find_references(SETTINGS, branch=text, messages=[text] * 3, title=text, body=text)


def test_finding_does_no_network_io(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    assert keys(body="Closes https://github.com/acme/shop/issues/9") == ["acme/shop#9"]
