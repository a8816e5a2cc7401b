"""References to tickets in a branch name, commit messages and a pull request. No I/O.

Several may be found. The first one counts, in this order of origin, and by position within one origin:

1. a closing keyword in the title or the body of the pull request (``Closes #12``)
2. a closing keyword in a commit message
3. a ticket trailer in the body of the pull request, then in a commit message (``Ticket: PROJ-12``)
4. the name of the branch (``feature/PROJ-12-export``, ``12-export``)
5. the beginning of the title of the pull request, then of a commit (``PROJ-12: Export``)
6. an address of an issue in the body of the pull request
7. a trailer that refers to a ticket (``Refs: PROJ-12``)
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.reference import (
    Reference,
    reference_of_issue,
    reference_of_key,
    reference_of_url,
)
from wardround.context.ticket.settings import TicketSettings

MAX_TEXT = 65_536
MAX_MESSAGES = 250
MAX_FOUND = 50


class Origin(enum.IntEnum):
    """Where a reference is, in order of preference."""

    PULL_REQUEST_CLOSES = 1
    COMMIT_CLOSES = 2
    PULL_REQUEST_TICKET = 3
    COMMIT_TICKET = 4
    BRANCH = 5
    PULL_REQUEST_TITLE = 6
    COMMIT_SUBJECT = 7
    PULL_REQUEST_ADDRESS = 8
    PULL_REQUEST_REFERS = 9
    COMMIT_REFERS = 10


class FoundReference(msgspec.Struct, frozen=True):
    """A reference, and the text in which it was found.

    Attributes:
        reference: None if its service or repository is not configured; ``problem`` is the reason then.
        is_foreign: it is of another project, whose ticket the change cannot choose.
    """

    text: str
    origin: Origin
    reference: Reference | None = None
    problem: str = ""
    is_foreign: bool = False


_KEY = r"[A-Z][A-Z0-9_]{1,9}-[1-9][0-9]{0,8}"
_TARGET = (
    rf"(?:https?://[^\s<>()\[\]\"'`,;]{{4,500}}|(?:[A-Za-z0-9][\w.-]{{0,99}}/[\w.-]{{1,100}})?#[1-9][0-9]{{0,8}}"
    rf"|GH-[1-9][0-9]{{0,8}}|{_KEY})"
)
_TARGETS = re.compile(rf"(?<![\w/#-]){_TARGET}(?![\w-])")
_CLOSING = re.compile(
    rf"(?<![\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|implement(?:s|ed)?)\s*:?\s+"
    rf"(?P<targets>{_TARGET}(?:(?:\s*,\s*|\s+and\s+|\s*&\s*){_TARGET})*)(?![\w-])",
    re.IGNORECASE,
)
_TICKET = re.compile(
    r"^[ \t]*(?:\*\*)?(?:ticket|jira|jira[ -](?:ticket|issue)|linear|linear[ -]issue|issues?|story|task)"
    r"(?:\*\*)?[ \t]*:[ \t]*(?:\*\*)?(?P<targets>.{1,600})$",
    re.IGNORECASE | re.MULTILINE,
)
_REFERS = re.compile(
    r"^[ \t]*(?:refs?|references?|see|see also|related(?: to)?|relates[ -]to|part[ -]of|contributes to)"
    r"[ \t]*:?[ \t]+(?P<targets>.{1,600})$",
    re.IGNORECASE | re.MULTILINE,
)
_PREFIX = re.compile(
    rf"(?:\w{{1,12}}(?:\([^()]{{1,40}}\))?!?:\s*)?[\[(]?"
    rf"(?P<targets>{_KEY}|#[1-9][0-9]{{0,8}})(?:[\])]|[:\s]|$)"
)
_CODE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)|<!--.*?(?:-->|\Z)|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_BRANCH_KEY = re.compile(r"(?:^|[/_-])([A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,8})(?=$|[/_.-])")
_BRANCH_LOWER_KEY = re.compile(r"(?:^|/)([a-z][a-z0-9]{1,9}-[1-9][0-9]{0,8})(?=$|[/_-])")
_BRANCH_ISSUE = re.compile(
    r"(?:^|/)(?:(?:fix|bug|bugfix|hotfix|feature|feat|issue|issues|gh|ticket|task)[-_#]+)?#?([1-9][0-9]{0,6})"
    r"(?=$|/|[-_](?=[a-zA-Z])(?!way\b|d\b))|(?:^|[/_-])(?:gh|issues?)[-_#]([1-9][0-9]{0,6})(?=$|[/_-])",
    re.IGNORECASE,
)
_NOT_PROJECTS = frozenset({
    "AES", "API", "BASE", "BUG", "BUGFIX", "CHORE", "COVID", "CP", "CVE", "CWE", "DAY", "DEV", "DOCS", "EC",
    "ES", "FEAT", "FEATURE", "FIX", "GCC", "GH", "GHSA", "GPT", "H", "HOTFIX", "HTTP", "IE", "IPV", "ISO",
    "ISSUE", "ISSUES", "JAVA", "LATIN", "LTS", "MD", "MR", "NODE", "PART", "PEP", "PHASE", "PHP", "POC",
    "PR", "PY", "PYTHON", "QA", "RC", "RELEASE", "REV", "RFC", "RSA", "SHA", "SPRINT", "STAGE", "STEP",
    "SUPPORT", "TASK", "TEST", "TICKET", "TLS", "TMP", "UTF", "V", "VERSION", "VUE", "WEEK", "WIP", "X",
    "YEAR",
})  # fmt: skip
"""Names before a number that are not projects of a tracker."""
_RELEASES = re.compile(
    r"^(?:release|releases|dependabot|renovate|revert|v?\d+\.\d+)(?:[/-]|$)", re.IGNORECASE
)


def find_references(
    settings: TicketSettings,
    *,
    branch: str = "",
    messages: Sequence[str] = (),
    title: str = "",
    body: str = "",
) -> tuple[FoundReference, ...]:
    """Find the references, the preferred one first; each ticket once, by its best origin.

    Args:
        messages: messages of the commits under review, newest first.
        title: title of the pull request.
        body: body of the pull request; code, comments and quoted code in it do not count.
    """
    candidates = [
        *_keys_in_pull_request(title, body),
        *(
            reference
            for message in messages[:MAX_MESSAGES]
            for reference in _keys_in_message(message[:MAX_TEXT])
        ),
        *((text, Origin.BRANCH) for text in _keys_in_branch(branch)),
    ]
    ordered = sorted(candidates, key=lambda candidate: candidate[1])
    found: dict[object, FoundReference] = {}
    for text, origin in ordered[: MAX_FOUND * 4]:
        item = _resolve_text(text, origin, settings)
        found.setdefault(item.reference or item.text, item)
    return tuple(found.values())[:MAX_FOUND]


def choose(found: Sequence[FoundReference]) -> Reference:
    """Return the reference that counts: the first one that is configured.

    Raises:
        TicketError: none is found, or none is configured; the text is the first reason.
    """
    for reference in found:
        if reference.reference is not None:
            return reference.reference
    if found:
        raise TicketError(found[0].problem)
    raise TicketError(
        "no ticket is named in the branch, the commits or the pull request; give --ticket KEY, URL or FILE"
    )


def _keys_in_pull_request(title: str, body: str) -> Iterator[tuple[str, Origin]]:
    text = _CODE.sub(" ", f"{title[:1000]}\n\n{body[:MAX_TEXT]}")
    yield from _find_all_keys(_CLOSING, text, Origin.PULL_REQUEST_CLOSES)
    yield from _find_all_keys(_TICKET, text, Origin.PULL_REQUEST_TICKET)
    yield from _prefix(title, Origin.PULL_REQUEST_TITLE)
    yield from ((url, Origin.PULL_REQUEST_ADDRESS) for url in _targets(text) if "://" in url)
    yield from _find_all_keys(_REFERS, text, Origin.PULL_REQUEST_REFERS)


def _keys_in_message(message: str) -> Iterator[tuple[str, Origin]]:
    yield from _find_all_keys(_CLOSING, message, Origin.COMMIT_CLOSES)
    yield from _find_all_keys(_TICKET, message, Origin.COMMIT_TICKET)
    yield from _prefix(message.lstrip().partition("\n")[0], Origin.COMMIT_SUBJECT)
    yield from _find_all_keys(_REFERS, message, Origin.COMMIT_REFERS)


def _find_all_keys(pattern: re.Pattern[str], text: str, origin: Origin) -> Iterator[tuple[str, Origin]]:
    for match in pattern.finditer(text):
        yield from ((target, origin) for target in _targets(match["targets"]))


def _prefix(line: str, origin: Origin) -> Iterator[tuple[str, Origin]]:
    match = _PREFIX.match(line[:200].lstrip())
    if match and _is_project(match["targets"]):
        yield match["targets"], origin


def _targets(text: str) -> Iterator[str]:
    for match in _TARGETS.finditer(text):
        target = match[0].rstrip(".:")
        if _is_project(target):
            yield target


def _is_project(target: str) -> bool:
    """Return False for ``UTF-8`` and ``CVE-2024``."""
    return "#" in target or "://" in target or target.startswith("GH-") or _is_project_name(_name(target))


def _is_project_name(name: str) -> bool:
    return name not in _NOT_PROJECTS and not re.fullmatch(r"V\d+", name)


def _name(key: str) -> str:
    return key.partition("-")[0].upper()


def _keys_in_branch(branch: str) -> list[str]:
    """Keys in capitals first, then small ones, then numbers."""
    name = branch.removeprefix("refs/heads/").removeprefix("origin/")[:255]
    if _RELEASES.match(name):
        return []
    keys = _keys_of_projects(_BRANCH_KEY.findall(name))
    if not keys:
        keys = [key.upper() for key in _keys_of_projects(_BRANCH_LOWER_KEY.findall(name))]
    return keys or [f"#{first or second}" for first, second in _BRANCH_ISSUE.findall(name)]


def _keys_of_projects(keys: Iterable[str]) -> list[str]:
    return [key for key in keys if _is_project_name(_name(key))]


def _resolve_text(text: str, origin: Origin, settings: TicketSettings) -> FoundReference:
    try:
        reference = _reference(text, settings)
    except TicketError as problem:
        return FoundReference(text, origin, problem=str(problem))
    if is_of_project(reference, settings):
        return FoundReference(text, origin, reference)
    reason = (
        f"{reference.key} is not of this project; list its repository or key in tickets.projects, "
        "or give --ticket"
    )
    return FoundReference(text, origin, problem=reason, is_foreign=True)


def is_of_project(reference: Reference, settings: TicketSettings) -> bool:
    """Return True if a change may name a ticket, whose criteria its author then is held against.

    Where neither the settings nor the clone name a repository of GitHub, it may name none.
    """
    project = reference.key.rpartition("#" if reference.source == "github" else "-")[0]
    own = settings.github_repository or settings.own_repository
    allowed = settings.projects or ((own,) if reference.source == "github" else (project,))
    return project.lower() in {host.lower() for host in allowed}


def _reference(text: str, settings: TicketSettings) -> Reference:
    if "://" in text:
        return _require_configured_site(reference_of_url(text, settings), text)
    repository, hash_sign, number = text.partition("#")
    if hash_sign:
        return reference_of_issue(number, settings, repository)
    if text.upper().startswith("GH-"):
        return reference_of_issue(text[3:], settings)
    return reference_of_key(text.upper(), settings)


def _require_configured_site(reference: Reference, text: str) -> Reference:
    """Refuse a site that only the text names: credentials are for sites that the user names."""
    if reference.site:
        raise TicketError(
            f"{text[:100]!r} is not at the configured Jira site; set JIRA_URL, or give --ticket URL"
        )
    return reference
