"""The addresses and credentials of the ticket services, from the environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal
from urllib.parse import SplitResult, urlsplit

import msgspec

from wardround.context.ticket.errors import TicketError

GITHUB_WEB = "https://github.com"
GITHUB_API = "https://api.github.com"
LINEAR_API = "https://api.linear.app/graphql"
LINEAR_WEB = "https://linear.app"
ATLASSIAN_CLOUD = ".atlassian.net"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")

Tracker = Literal["github", "jira", "linear", ""]


class Secret:
    """A token that shows itself neither in ``repr`` nor in ``str``."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the token, for a request header only."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret(...)" if self._value else "Secret()"


class TicketSettings(msgspec.Struct, frozen=True):
    """Addresses, without a slash at the end, and credentials.

    Attributes:
        github_repository: ``owner/name`` that ``#12`` refers to; empty if unknown.
        projects: those whose tickets a change may name, as the configuration lists them.
        own_repository: ``owner/name`` by which the clone is known; empty if unknown. ``github_repository``
            has priority.
        jira_url: URL of the site, with the context path of a Jira Server; empty if there is none.
        tracker: the service of keys such as ``PROJ-12``; empty to choose the only configured one.
    """

    github_url: str = GITHUB_WEB
    github_api: str = GITHUB_API
    github_repository: str = ""
    projects: tuple[str, ...] = ()
    own_repository: str = ""
    jira_url: str = ""
    linear_api: str = LINEAR_API
    tracker: Tracker = ""
    github_token: Secret = Secret("")
    jira_email: str = ""
    jira_api_token: Secret = Secret("")
    jira_pat: Secret = Secret("")
    linear_api_key: Secret = Secret("")


def settings_from(
    environment: Mapping[str, str],
    *,
    jira_url: str = "",
    tracker: str = "",
    github_repository: str = "",
    projects: Sequence[str] = (),
    own_repository: str = "",
) -> TicketSettings:
    """Read the addresses and tokens.

    The variables are ``GITHUB_SERVER_URL``, ``GITHUB_API_URL``, ``GITHUB_REPOSITORY``, ``GITHUB_TOKEN``,
    ``JIRA_URL``, ``JIRA_EMAIL``, ``JIRA_API_TOKEN``, ``JIRA_PAT``, ``LINEAR_API_URL``, ``LINEAR_API_KEY`` and
    ``TICKET_TRACKER``.

    Args:
        jira_url: the configured URL; it has priority over the environment, as the other arguments do.
            projects, own_repository: as in ``TicketSettings``.

    Raises:
        TicketError: an address is not an https address, or the tracker is unknown.
    """
    github_url = _address(environment, "GITHUB_SERVER_URL") or GITHUB_WEB
    return TicketSettings(
        github_url=github_url,
        github_api=_address(environment, "GITHUB_API_URL") or _api_of(github_url),
        github_repository=github_repository or environment.get("GITHUB_REPOSITORY", ""),
        projects=tuple(projects),
        own_repository=own_repository,
        jira_url=checked_address("jira_url", jira_url) if jira_url else _address(environment, "JIRA_URL"),
        linear_api=_address(environment, "LINEAR_API_URL") or LINEAR_API,
        tracker=_tracker(tracker or environment.get("TICKET_TRACKER", "")),
        github_token=_secret(environment, "GITHUB_TOKEN"),
        jira_email=environment.get("JIRA_EMAIL", "").strip(),
        jira_api_token=_secret(environment, "JIRA_API_TOKEN"),
        jira_pat=_secret(environment, "JIRA_PAT"),
        linear_api_key=_secret(environment, "LINEAR_API_KEY"),
    )


def checked_address(name: str, url: str) -> str:
    """Return an address without a slash at its end.

    Raises:
        TicketError: it is not https (http only on this machine), or it has a user, a query or a fragment.
    """
    parts = _split(name, url)
    is_local = parts.scheme == "http" and (parts.hostname or "") in _LOOPBACK
    if not (parts.scheme == "https" or is_local) or not parts.hostname:
        raise TicketError(f"{name} is not an https address: {_strip_user(url)!r}; set it to https://...")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise TicketError(f"{name} has a user name, a query or a fragment; set it to host and path")
    return url.rstrip("/")


def _split(name: str, url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as cause:
        raise TicketError(f"{name} is not a valid address; set it to https://...") from cause
    return parts


def _strip_user(url: str) -> str:
    return url.rpartition("@")[2][:200]


def _address(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "").strip()
    return checked_address(name, value) if value else ""


def _api_of(github_url: str) -> str:
    """Return the address of the API; a GitHub Enterprise Server has it on its own host."""
    return GITHUB_API if github_url == GITHUB_WEB else f"{github_url}/api/v3"


def _tracker(name: str) -> Tracker:
    match name.strip().lower():
        case "github" | "jira" | "linear" | "" as tracker:
            return tracker
        case other:
            raise TicketError(f"unknown ticket tracker {other[:40]!r}; set it to github, jira or linear")


def _secret(environment: Mapping[str, str], name: str) -> Secret:
    value = environment.get(name, "").strip()
    if not value.isascii() or any(character.isspace() or not character.isprintable() for character in value):
        raise TicketError(f"{name} has characters that no token has; set it to the token alone")
    return Secret(value)
