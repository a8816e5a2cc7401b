"""The author of a change does not choose its ticket; no token leaves for a host that is not configured."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.context.ticket.loopback import json_of, serving
from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.lookup import fetch_ticket
from wardround.context.ticket.reference import parse_reference
from wardround.context.ticket.settings import settings_from

OWN = {"number": 12, "title": "Limit uploads", "body": "- [ ] More than 25 files are rejected with 413"}
TOKEN = "t" * 30
CREDENTIALS = {
    "GITHUB_TOKEN": TOKEN,
    "JIRA_EMAIL": "kim@shop.example",
    "JIRA_API_TOKEN": TOKEN,
    "JIRA_PAT": TOKEN,
    "LINEAR_API_KEY": TOKEN,
}


def test_the_ticket_of_another_repository_is_not_fetched(repo: GitRepository) -> None:
    repo.commit({"app.py": "x = 1\n", ".wardround.toml": "tickets = {projects = ['acme/shop']}\n"})
    mine = "tickets = {projects = ['evil/repo', 'acme/shop']}\n"
    message = "Export\n\nCloses evil/repo#1, https://github.com/evil/repo/issues/2\n\nRefs: #12"
    repo.commit({"app.py": "x = 2\n", ".wardround.toml": mine}, message)
    with serving(json_of(OWN)) as service:
        env = {"GITHUB_API_URL": service.url, "GITHUB_REPOSITORY": "acme/shop", "GITHUB_TOKEN": TOKEN}
        report = repo.report("--profile", "ci", "--base", "HEAD~1", "--ticket", "auto", env=env)

    assert [item.path for item in service.received] == ["/repos/acme/shop/issues/12"]
    assert (report["ticket"]["key"], report["ticket"]["title"]) == ("acme/shop#12", "Limit uploads")


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.atlassian.net/browse/SHOP-1",
        "https://github.com.evil.example/acme/shop/issues/1",
        "https://linear.app.evil.example/team/issue/ENG-1",
        "http://github.com/acme/shop/issues/1",
        "https://github.com:8443/acme/shop/issues/1",
    ],
)
def test_an_address_on_a_host_that_is_not_configured_gets_no_token(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, str]] = []

    def refuse(request: object, limits: object) -> bytes:
        sent.append(dict(getattr(request, "headers")))  # noqa: B009  (of any source)
        raise TicketError("not reached")

    for source in ("github", "jira", "linear"):
        monkeypatch.setattr(f"wardround.context.ticket.sources.{source}.fetch_json", refuse)
    settings = settings_from(CREDENTIALS)
    with pytest.raises(TicketError):
        fetch_ticket(parse_reference(address, settings), settings, tmp_path)
    assert not any("Authorization" in headers for headers in sent)
