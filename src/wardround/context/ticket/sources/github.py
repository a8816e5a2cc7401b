"""Issues of GitHub and GitHub Enterprise Server, by their REST API."""

from __future__ import annotations

import msgspec

from wardround.context.ticket.assemble import ticket_of
from wardround.context.ticket.model import Ticket
from wardround.context.ticket.reference import Reference
from wardround.context.ticket.settings import TicketSettings
from wardround.context.ticket.sources.http import Limits, Request, decode_response, fetch_json

_API_VERSION = "2022-11-28"


class GitHubIssue(msgspec.Struct, frozen=True):
    """The fields of an issue that a ticket needs; a pull request has them too."""

    number: int
    title: str
    body: str | None = None
    html_url: str = ""


class GitHub:
    """Issues of GitHub; without ``GITHUB_TOKEN`` those that are public."""

    def __init__(self, settings: TicketSettings, limits: Limits | None = None) -> None:
        self._settings = settings
        self._limits = limits or Limits()

    def fetch(self, reference: Reference) -> Ticket:
        """See ``TicketSource``."""
        request = self._request(reference)
        issue: GitHubIssue = decode_response(fetch_json(request, self._limits), GitHubIssue, request)
        secrets = (self._settings.github_token,)
        return ticket_of("github", reference.key, issue.title, issue.body or "", issue.html_url, secrets)

    def _request(self, reference: Reference) -> Request:
        repository, _, number = reference.key.partition("#")
        headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": _API_VERSION}
        if token := self._settings.github_token.reveal():
            headers["Authorization"] = f"Bearer {token}"
        url = f"{self._settings.github_api}/repos/{repository}/issues/{number}"
        return Request("GitHub", reference.key, url, "GITHUB_TOKEN", headers)
