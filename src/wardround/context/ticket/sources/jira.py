"""Issues of Jira Cloud (REST API v3) and of Jira Server and Data Center (REST API v2)."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from wardround.context.ticket.adf import adf_markdown, is_document
from wardround.context.ticket.assemble import ticket_of
from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.headings import Section, section_of
from wardround.context.ticket.model import Ticket
from wardround.context.ticket.reference import Reference
from wardround.context.ticket.settings import Secret, TicketSettings
from wardround.context.ticket.sources.http import Limits, Request, decode_response, fetch_json
from wardround.context.ticket.wiki_markup import wiki_markdown

_FIELDS = "*all,-comment,-worklog,-attachment,-issuelinks,-subtasks"
"""The identifiers of custom fields differ between sites, so all fields are requested except large ones."""
_MAX_FIELDS = 2_000


class JiraIssue(msgspec.Struct, frozen=True):
    """The parts of an issue that a ticket needs.

    Attributes:
        names: field identifier -> name, by the expansion ``names``.
    """

    key: str
    fields: dict[str, Any]
    names: dict[str, str] = {}


class JiraCloud:
    """Issues of Jira Cloud; rich text is in the Atlassian Document Format."""

    def __init__(self, settings: TicketSettings, limits: Limits | None = None) -> None:
        self._settings = settings
        self._limits = limits or Limits()

    def fetch(self, reference: Reference) -> Ticket:
        """See ``TicketSource``."""
        token = _secret_for_site(self._settings, self._settings.jira_api_token)
        pair = base64.b64encode(f"{self._settings.jira_email}:{token.reveal()}".encode()).decode()
        headers = {"Authorization": f"Basic {pair}"} if token else {}
        request = _request(reference, self._settings, "3", headers, "JIRA_EMAIL and JIRA_API_TOKEN")
        return _ticket(request, self._limits, (token, Secret(pair)))


class JiraServer:
    """Issues of Jira Server and Data Center; rich text is wiki markup."""

    def __init__(self, settings: TicketSettings, limits: Limits | None = None) -> None:
        self._settings = settings
        self._limits = limits or Limits()

    def fetch(self, reference: Reference) -> Ticket:
        """See ``TicketSource``."""
        token = _secret_for_site(self._settings, self._settings.jira_pat)
        headers = {"Authorization": f"Bearer {token.reveal()}"} if token else {}
        request = _request(reference, self._settings, "2", headers, "JIRA_PAT")
        return _ticket(request, self._limits, (token,))


def _secret_for_site(settings: TicketSettings, token: Secret) -> Secret:
    """Return a token if the site is configured: a URL in a text is not sufficient."""
    return token if settings.jira_url else Secret("")


def jira_ticket(issue: JiraIssue, url: str = "", secrets: Sequence[Secret] = ()) -> Ticket:
    """Build the ticket of an issue: its description, then each field of acceptance criteria below its name.

    Raises:
        TicketError: the summary is not a text.
    """
    title = issue.fields.get("summary")
    if not isinstance(title, str):
        raise TicketError(
            f"the issue {issue.key[:40]} has no summary; check that the fields of the response include it"
        )
    parts = [_field_to_markdown(issue.fields.get("description"))]
    for field, name in sorted(issue.names.items())[:_MAX_FIELDS]:
        is_criteria = field.startswith("customfield_") and section_of(name) is Section.ACCEPTANCE
        if is_criteria and (text := _field_to_markdown(issue.fields.get(field))):
            parts.append(f"## {name}\n\n{text}")
    return ticket_of("jira", issue.key, title, "\n\n".join(filter(None, parts)), url, secrets)


def _request(
    reference: Reference, settings: TicketSettings, version: str, headers: Mapping[str, str], credentials: str
) -> Request:
    site = reference.site or settings.jira_url
    if not site:
        raise TicketError(f"the Jira site of {reference.key} is unknown; set JIRA_URL to its address")
    url = f"{site}/rest/api/{version}/issue/{reference.key}?fields={_FIELDS}&expand=names"
    needed = credentials if settings.jira_url else f"JIRA_URL, and {credentials}"
    return Request("Jira", reference.key, url, needed, headers)


def _ticket(request: Request, limits: Limits, secrets: Sequence[Secret]) -> Ticket:
    issue: JiraIssue = decode_response(fetch_json(request, limits), JiraIssue, request)
    address = f"{request.url.partition('/rest/api/')[0]}/browse/{issue.key}"
    return jira_ticket(issue, address, secrets)


def _field_to_markdown(value: object) -> str:
    """Return the markdown of a field: a document, wiki markup, or the items of a checklist."""
    if is_document(value):
        return adf_markdown(value)
    if isinstance(value, str):
        return wiki_markdown(value)
    if isinstance(value, list):
        return "\n".join(f"- [ ] {text}" for text in map(_item_text, value) if text)
    return ""


def _item_text(item: object) -> str:
    """Return the text of an item of a checklist, which is a text or an object with a name."""
    if isinstance(item, Mapping):
        item = next((item[key] for key in ("name", "value", "text", "title") if item.get(key)), "")
    return " ".join(item.split()) if isinstance(item, str) else ""
