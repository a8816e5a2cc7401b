"""References to tickets: the argument of ``--ticket``, and keys and URLs in other texts. No I/O."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec

from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.model import Source
from wardround.context.ticket.settings import ATLASSIAN_CLOUD, LINEAR_WEB, TicketSettings

_NAME = r"[A-Za-z][A-Za-z0-9_]{1,19}-[1-9][0-9]{0,8}"
_KEY = re.compile(_NAME)
_ISSUE = re.compile(
    r"(?:(?P<repository>[A-Za-z0-9][\w.-]{0,99}/[\w.-]{1,100}))?(?:#|(?<![\w/])GH-)(?P<number>[1-9][0-9]{0,8})"
)
_FILE = re.compile(r"[/\\]|\.(?:md|markdown|txt|json|adf)$", re.IGNORECASE)
_GITHUB_PATH = re.compile(r"/([A-Za-z0-9][\w.-]{0,99}/[\w.-]{1,100})/(?:issues|pull)/([1-9][0-9]{0,8})/?")
_JIRA_PATH = re.compile(
    r"(?P<context>(?:/[\w.-]{1,60}){0,2}?)/browse/(?P<key>[A-Za-z][A-Za-z0-9_]{1,19}-[1-9]\d{0,8})/?"
)
_LINEAR_PATH = re.compile(
    r"/[\w.-]{1,100}/issue/(?P<key>[A-Za-z][A-Za-z0-9_]{1,19}-[1-9]\d{0,8})(?:/[^/]*)?/?"
)
_MAX_REFERENCE = 2_000


class Reference(msgspec.Struct, frozen=True, order=True):
    """A ticket of one service.

    Attributes:
        key: ``PROJ-12``, ``owner/repository#12``, or the path of a file.
        site: the address of a Jira site where the reference is an address; empty for the configured one.
    """

    source: Source
    key: str
    site: str = ""


def parse_reference(text: str, settings: TicketSettings) -> Reference:
    """Parse the argument of ``--ticket``: an address, ``#12``, ``owner/name#12``, ``PROJ-12`` or a file.

    A file has a slash or one of the suffixes .md, .markdown, .txt, .json and .adf.

    Raises:
        TicketError: it is none of these, its service is not configured, or it is not decidable.
    """
    argument = text.strip()
    if not argument or len(argument) > _MAX_REFERENCE or not argument.isprintable():
        raise TicketError("the ticket is empty, too long or not printable; give a key, an address or a file")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", argument):
        return reference_of_url(argument, settings)
    if issue := _ISSUE.fullmatch(argument):
        return _github_reference(issue, settings)
    if _KEY.fullmatch(argument) and not _FILE.search(argument):
        return reference_of_key(argument.upper(), settings)
    if _FILE.search(argument):
        return Reference("file", argument)
    raise TicketError(
        f"{argument[:100]!r} is not a ticket; give a key such as PROJ-12 or #12, an address, "
        "or a file whose name has a slash or ends in .md, .txt or .json"
    )


def reference_of_key(key: str, settings: TicketSettings) -> Reference:
    """Return the ticket ``PROJ-12`` of Jira or Linear.

    Raises:
        TicketError: neither is configured, or both are and no tracker is set.
    """
    if settings.tracker in ("jira", "linear"):
        return Reference("linear" if settings.tracker == "linear" else "jira", key)
    has_jira, has_linear = bool(settings.jira_url), bool(settings.linear_api_key)
    if has_jira and has_linear:
        raise TicketError(f"{key} may be of Jira or of Linear; set TICKET_TRACKER to jira or linear")
    if not has_jira and not has_linear:
        raise TicketError(f"the service of {key} is not configured; set JIRA_URL, or LINEAR_API_KEY")
    return Reference("jira" if has_jira else "linear", key)


def reference_of_issue(number: str, settings: TicketSettings, repository: str = "") -> Reference:
    """Return the issue of a GitHub repository, by default of the repository under review.

    Raises:
        TicketError: the repository is unknown.
    """
    owner_and_name = repository or settings.github_repository
    if not owner_and_name:
        raise TicketError(
            f"the repository of #{number} is unknown; give OWNER/REPOSITORY#{number} or the address"
        )
    return Reference("github", f"{owner_and_name}#{int(number)}")


def reference_of_url(url: str, settings: TicketSettings) -> Reference:
    """Return the ticket at an address of a known service; a token is only ever sent to such a service.

    Raises:
        TicketError: the host is not a configured service, or the path is not that of a ticket.
    """
    parts = _parts(url)
    if _same_host(parts, settings.github_url) and (issue := _GITHUB_PATH.fullmatch(parts.path)):
        return Reference("github", f"{issue[1]}#{issue[2]}")
    if _same_host(parts, LINEAR_WEB) and (issue := _LINEAR_PATH.fullmatch(unquote(parts.path))):
        return Reference("linear", issue["key"].upper())
    if _is_jira(parts, settings) and (issue := _JIRA_PATH.fullmatch(parts.path)):
        site = f"{parts.scheme}://{parts.netloc}{issue['context']}"
        return Reference("jira", issue["key"].upper(), "" if site == settings.jira_url else site)
    raise TicketError(
        f"{parts.hostname!r} with the path {parts.path[:80]!r} is not an issue of GitHub, Jira or Linear; "
        "give the address of an issue, and set JIRA_URL or GITHUB_SERVER_URL for a server of your own"
    )


def _github_reference(issue: re.Match[str], settings: TicketSettings) -> Reference:
    return reference_of_issue(issue["number"], settings, issue["repository"] or "")


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as cause:
        raise TicketError("the ticket is not a valid address; give the address of an issue") from cause
    if "@" in parts.netloc:
        raise TicketError("the address of the ticket has a user name; give it without one")
    return parts


def _same_host(parts: SplitResult, address: str) -> bool:
    own = urlsplit(address)
    return (parts.scheme, parts.netloc.lower()) == (own.scheme, own.netloc.lower())


def _is_jira(parts: SplitResult, settings: TicketSettings) -> bool:
    if settings.jira_url:
        return _same_host(parts, settings.jira_url)
    is_cloud = (parts.hostname or "").endswith(ATLASSIAN_CLOUD) and parts.port in (None, 443)
    return parts.scheme == "https" and is_cloud
