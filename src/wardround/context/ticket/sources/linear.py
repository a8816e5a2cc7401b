"""Issues of Linear, by its GraphQL API."""

from __future__ import annotations

import msgspec

from wardround.context.ticket.assemble import ticket_of
from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.model import Ticket
from wardround.context.ticket.reference import Reference
from wardround.context.ticket.settings import TicketSettings
from wardround.context.ticket.sources.http import Limits, Request, decode_response, fetch_json

_QUERY = "query Ticket($id: String!) { issue(id: $id) { identifier title description url } }"
_CREDENTIALS = "LINEAR_API_KEY"


class LinearIssue(msgspec.Struct, frozen=True):
    """An issue."""

    identifier: str
    title: str
    description: str | None = None
    url: str = ""


class _Data(msgspec.Struct, frozen=True):
    issue: LinearIssue | None = None


class _Extensions(msgspec.Struct, frozen=True):
    code: str = ""
    type: str = ""


class _Error(msgspec.Struct, frozen=True):
    extensions: _Extensions = _Extensions()


class LinearResponse(msgspec.Struct, frozen=True):
    """A GraphQL response: data, errors, or both."""

    data: _Data | None = None
    errors: list[_Error] | None = None


class Linear:
    """Issues of Linear; a key is required."""

    def __init__(self, settings: TicketSettings, limits: Limits | None = None) -> None:
        self._settings = settings
        self._limits = limits or Limits()

    def fetch(self, reference: Reference) -> Ticket:
        """See ``TicketSource``."""
        request = self._request(reference.key)
        body = fetch_json(request, self._limits, also=(400,))
        issue = _issue(decode_response(body, LinearResponse, request), reference.key)
        return linear_ticket(issue, self._settings)

    def _request(self, key: str) -> Request:
        secret = self._settings.linear_api_key
        if not secret:
            raise TicketError(f"Linear needs a key to fetch {key}; set {_CREDENTIALS}")
        body = msgspec.json.encode({"query": _QUERY, "variables": {"id": key}})
        headers = {"Authorization": secret.reveal()}
        return Request("Linear", key, self._settings.linear_api, _CREDENTIALS, headers, body)


def linear_ticket(issue: LinearIssue, settings: TicketSettings) -> Ticket:
    """Build the ticket of an issue."""
    secrets = (settings.linear_api_key,)
    return ticket_of("linear", issue.identifier, issue.title, issue.description or "", issue.url, secrets)


def _issue(response: LinearResponse, key: str) -> LinearIssue:
    """Return the issue; GraphQL reports errors with the status 200 or 400 and a code."""
    issue = response.data.issue if response.data else None
    if issue is not None and not response.errors:
        return issue
    codes = {
        word.upper().replace(" ", "_")
        for error in response.errors or ()
        for word in (error.extensions.code, error.extensions.type)
    }
    if codes & {"RATELIMITED", "RATE_LIMITED"}:
        raise TicketError(f"Linear refused {key}: the rate limit is used up; try again later")
    if codes & {"AUTHENTICATION_ERROR", "UNAUTHENTICATED", "FORBIDDEN"}:
        raise TicketError(f"Linear refused {key}: the credentials are missing or wrong; set {_CREDENTIALS}")
    raise TicketError(f"Linear has no issue {key}, or it is not visible; check the key and {_CREDENTIALS}")
