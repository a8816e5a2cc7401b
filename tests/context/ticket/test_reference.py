"""The argument of --ticket names one ticket of a configured service, or is rejected with a reason."""

from __future__ import annotations

import pytest

from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.reference import Reference, parse_reference
from wardround.context.ticket.settings import TicketSettings, settings_from

JIRA = settings_from({"JIRA_URL": "https://jira.shop.example/jira"}, github_repository="acme/shop")
BARE = settings_from({})
BOTH = settings_from({"JIRA_URL": "https://jira.shop.example", "LINEAR_API_KEY": "k"})
LINEAR = settings_from({"LINEAR_API_KEY": "k"})
ENTERPRISE = settings_from({"GITHUB_SERVER_URL": "https://ghe.example"})


@pytest.mark.parametrize(
    ("text", "settings", "reference"),
    [
        ("SHOP-7", JIRA, Reference("jira", "SHOP-7")),
        (" shop-7 ", JIRA, Reference("jira", "SHOP-7")),
        ("ENG-1", LINEAR, Reference("linear", "ENG-1")),
        ("ENG-1", settings_from({"TICKET_TRACKER": "Linear", "JIRA_URL": "https://j.example"}),
         Reference("linear", "ENG-1")),
        ("ENG-1", settings_from({}, tracker="jira"), Reference("jira", "ENG-1")),
        ("#12", JIRA, Reference("github", "acme/shop#12")),
        ("GH-12", JIRA, Reference("github", "acme/shop#12")),
        ("other/repo.js#3", JIRA, Reference("github", "other/repo.js#3")),
        ("https://github.com/acme/shop/issues/12", BARE, Reference("github", "acme/shop#12")),
        ("https://github.com/acme/shop/pull/12/?x=1#issuecomment-3", BARE, Reference("github",
         "acme/shop#12")),
        ("https://ghe.example/acme/shop/issues/12", ENTERPRISE, Reference("github", "acme/shop#12")),
        ("https://jira.shop.example/jira/browse/SHOP-7?focusedId=1", JIRA, Reference("jira", "SHOP-7")),
        ("https://shop.atlassian.net/browse/SHOP-7", BARE, Reference("jira", "SHOP-7",
         "https://shop.atlassian.net")),
        ("https://linear.app/acme/issue/eng-31/dark-mode", BARE, Reference("linear", "ENG-31")),
        ("https://linear.app/acme/issue/ENG-31", BARE, Reference("linear", "ENG-31")),
        ("tickets/export.md", BARE, Reference("file", "tickets/export.md")),
        ("export.JSON", BARE, Reference("file", "export.JSON")),
        ("./SHOP-7", BARE, Reference("file", "./SHOP-7")),
        ("SHOP-7.md", JIRA, Reference("file", "SHOP-7.md")),
    ],
)  # fmt: skip
def test_a_reference_is_parsed(text: str, settings: TicketSettings, reference: Reference) -> None:
    assert parse_reference(text, settings) == reference


@pytest.mark.parametrize(
    ("text", "settings", "words"),
    [
        ("", BARE, "empty"),
        ("x" * 3000, BARE, "too long"),
        ("SHOP-7\x1b[2J", BARE, "not printable"),
        ("something", BARE, "is not a ticket; give a key such as"),
        ("SHOP-0", JIRA, "is not a ticket"),
        ("SHOP-7", BARE, "SHOP-7 is not configured; set JIRA_URL, or LINEAR_API_KEY"),
        ("SHOP-7", BOTH, "may be of Jira or of Linear; set TICKET_TRACKER"),
        ("#12", BARE, "repository of #12 is unknown"),
        ("https://evil.example/browse/SHOP-7", JIRA, "'evil.example'.*is not an issue"),
        ("https://evil.example/browse/SHOP-7", BARE, "'evil.example'.*is not an issue"),
        ("https://shop.atlassian.net/browse/SHOP-7", JIRA, "is not an issue"),
        ("https://shop.atlassian.net.evil.example/browse/SHOP-7", BARE, "is not an issue"),
        ("https://shop.atlassian.net:8443/browse/SHOP-7", BARE, "is not an issue"),
        ("http://shop.atlassian.net/browse/SHOP-7", BARE, "is not an issue"),
        ("http://github.com/acme/shop/issues/12", BARE, "is not an issue"),
        ("https://github.com.evil.example/acme/shop/issues/12", BARE, "is not an issue"),
        ("https://github.com/acme/shop/issues/12/../../x", BARE, "is not an issue"),
        ("https://token@github.com/acme/shop/issues/12", BARE, "has a user name"),
        ("https://[broken/issues/12", BARE, "not a valid address"),
        ("https://github.com:99999999/a/b/issues/1", BARE, "not a valid address"),
        ("file:///etc/passwd", BARE, "is not an issue"),
    ],
)
def test_an_impossible_reference_is_rejected(text: str, settings: TicketSettings, words: str) -> None:
    with pytest.raises(TicketError, match=words):
        parse_reference(text, settings)


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"JIRA_URL": "http://jira.shop.example"}, "JIRA_URL is not an https address"),
        ({"JIRA_URL": "jira.shop.example"}, "JIRA_URL is not an https address"),
        ({"JIRA_URL": "https://kim:pw-secret@jira.example"}, "JIRA_URL has a user name"),
        ({"JIRA_URL": "https://jira.example?x=1"}, "query"),
        ({"JIRA_URL": "https://[x"}, "not a valid address"),
        ({"LINEAR_API_URL": "ftp://x"}, "LINEAR_API_URL"),
        ({"TICKET_TRACKER": "trello"}, "unknown ticket tracker 'trello'"),
        ({"GITHUB_TOKEN": "ghp_sec\nret"}, "GITHUB_TOKEN has characters"),
        ({"JIRA_PAT": "pä-secret"}, "JIRA_PAT has characters"),
    ],
)
def test_a_wrong_setting_is_named_without_its_secret(environment: dict[str, str], words: str) -> None:
    with pytest.raises(TicketError, match=words) as caught:
        settings_from(environment)

    assert "secret" not in str(caught.value)
    assert "ghp_" not in str(caught.value)


def test_plain_http_is_allowed_on_this_machine_only() -> None:
    assert settings_from({"JIRA_URL": "http://localhost:8080/"}).jira_url == "http://localhost:8080"


def test_the_configuration_has_priority_over_the_environment() -> None:
    environment = {"JIRA_URL": "https://a.example", "GITHUB_REPOSITORY": "a/a", "TICKET_TRACKER": "jira"}

    settings = settings_from(
        environment, jira_url="https://b.example/", tracker="linear", github_repository="b/b"
    )

    assert (settings.jira_url, settings.tracker, settings.github_repository) == (
        "https://b.example",
        "linear",
        "b/b",
    )
