"""A commit message taken apart: title, references, and what its footers state."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from wardround.context.ticket.reference_search import MAX_TEXT, Origin, find_references
from wardround.context.ticket.settings import TicketSettings
from wardround.lazy import LazyPattern

_GITHUB_MERGE = LazyPattern(r"Merge pull request (#\d+) from \S+")
_GITLAB_MERGE = LazyPattern(r"Merge branch '[^'\n]+'(?: of \S+)? into '?[^'\n]+'?$")
_GITLAB_FOOTER = LazyPattern(r"(?m)^See merge request \S*?(!\d+)\s*$")
_AZURE = LazyPattern(r"Merged PR (\d+): (?=\S)")
_BITBUCKET = LazyPattern(r"Merged in \S+ \(pull request (#\d+)\)$")
_BORS = LazyPattern(r"(?:Merge (#\d+)(?: #\d+)*|Auto merge of (#\d+) - .*)$")
_BORS_TITLE = LazyPattern(r"\d+: (.*?)(?: r=\S+(?: a=\S+)?)?$")
_BRANCH_MERGE = LazyPattern(
    r"(?i)merged? (?:(?:remote-tracking |remote )?branch(?:es)?|tags?|commits?|in|from|into|with|upstream"
    r"|origin|main|master|develop|[\w./-]{1,80} (?:into|to) [\w./-]{1,80}$)\b"
)
_PULL_REQUESTS = LazyPattern(r"(?:\s*\([\w./-]{0,80}[#!]\d{1,9}\)){1,4}\s*$")
_REVERTED = LazyPattern(r"(?i)\bThis reverts (?:commit|merge request|pull request)\s+([0-9a-f]{7,64})\b")
_PICKED = LazyPattern(r"\(cherry[- ]picked from commit ([0-9a-f]{7,64})\)")
_BREAKING = LazyPattern(
    r"(?m)^BREAKING[ -]CHANGES?(?:\([^)\n]{0,80}\))?\s*:\s*(.*(?:\n(?!\s*\n|[\w-]+(?::| #)).*)*)"
)
_TRAILER = LazyPattern(r"[A-Za-z][\w-]*(?::[ \t]|[ \t]#)")
_KNOWN_TRAILERS = LazyPattern(
    r"(?im)^(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|change-id|wardround-record"
    r"|release-as|see merge request|\(cherry[- ]picked).*$"
)
_RECORD = LazyPattern(r"(?im)^wardround-record:\s*sha256:([0-9a-f]{64})\s*$")
_PARAGRAPH = LazyPattern(r"\n[ \t]*\n")
_CONTINUATION = "…"
_NUMBER = re.compile(r"[#!]\d+")
_ISSUE_URL = LazyPattern(
    r"https?://[^/\s]+/(?P<repository>[\w.-]+/[\w.-]+)/(?:-/)?(?:issues|pull|merge_requests)/(?P<number>\d+)"
)


class Message(msgspec.Struct, frozen=True):
    """The parts of a message.

    Attributes:
        title: the subject without the number of its pull request; for a merge, the title of the pull request,
            or empty if the message does not state it.
        body: the rest, without trailers.
        pull_request: ``#12``, or ``!12`` for GitLab; empty if the message names none.
        issues: what it closes, fixes or refers to, such as ``#3`` and ``SHOP-3``.
        is_pull_request_merge: it is the merge of a pull request.
        is_branch_merge: it is a merge that states nothing of its own.
        breaking: the text of a ``BREAKING CHANGE`` footer; empty without one.
        reverted: ids of the commits that it reverts.
        picked: ids of the commits that it was picked from.
        records: digests of review records that its trailers name.
    """

    title: str
    body: str = ""
    pull_request: str = ""
    issues: tuple[str, ...] = ()
    is_pull_request_merge: bool = False
    is_branch_merge: bool = False
    breaking: str = ""
    reverted: tuple[str, ...] = ()
    picked: tuple[str, ...] = ()
    records: tuple[str, ...] = ()

    @property
    def references(self) -> tuple[str, ...]:
        """The pull request and the issues."""
        found = dict.fromkeys((*filter(None, (self.pull_request,)), *self.issues))
        return tuple(found)


class _Head(msgspec.Struct, frozen=True):
    """The title of a message, the text below it, and facts from the form of the message."""

    title: str
    body: str
    pull_request: str = ""
    is_pull_request_merge: bool = False
    is_branch_merge: bool = False


def read_message(text: str, repository: str = "") -> Message:
    """Take a message apart.

    Args:
        repository: ``owner/name``, whose own addresses and references are shortened to ``#12``.
    """
    text = text[:MAX_TEXT].replace("\r\n", "\n").strip()
    head = _head(text)
    title, pull_request = _split_pull_request(head.title)
    breaking = _BREAKING.search(head.body)
    return Message(
        " ".join(title.split()),
        _without_trailers(head.body),
        head.pull_request or pull_request,
        tuple(_issues(text, repository, head.pull_request or pull_request)),
        head.is_pull_request_merge,
        head.is_branch_merge,
        " ".join(breaking[1].split()) if breaking else "",
        tuple(match[1] for match in _REVERTED.finditer(text)),
        tuple(match[1] for match in _PICKED.finditer(text)),
        tuple(match[1] for match in _RECORD.finditer(text)),
    )


def _head(text: str) -> _Head:
    subject, _, body = text.partition("\n")
    body = body.strip()
    if match := _GITHUB_MERGE.match(subject):
        return _merge(body, match[1])
    if match := _BITBUCKET.match(subject):
        return _merge(body, match[1])
    if match := _BORS.match(subject):
        return _bors(body, match[1] or match[2])
    if match := _AZURE.match(subject):
        return _Head(subject[match.end() :], body, f"#{match[1]}", is_pull_request_merge=True)
    footer = _GITLAB_FOOTER.search(body)
    if footer and _GITLAB_MERGE.match(subject):
        return _merge(_GITLAB_FOOTER.sub("", body).strip(), footer[1])
    if _BRANCH_MERGE.match(subject):
        return _Head("", body, is_branch_merge=True)
    return _join_title(subject, body, footer[1] if footer else "")


def _merge(body: str, pull_request: str) -> _Head:
    title, _, rest = body.partition("\n")
    head = _join_title(title, rest.strip(), pull_request)
    return msgspec.structs.replace(head, is_pull_request_merge=True)


def _bors(body: str, pull_request: str) -> _Head:
    head = _merge(body, pull_request)
    match = _BORS_TITLE.match(head.title)
    return msgspec.structs.replace(head, title=match[1]) if match else head


def _join_title(title: str, body: str, pull_request: str) -> _Head:
    """Return a title with its rest, which GitHub moves to the body of a long one."""
    first, _, rest = body.partition("\n")
    if title.endswith(_CONTINUATION) and first.startswith(_CONTINUATION):
        title, body = title[:-1] + first[1:], rest.strip()
    return _Head(title, body, pull_request)


def _split_pull_request(title: str) -> tuple[str, str]:
    """Return a title without the numbers at its end, and the last of them: that of a backport is its own."""
    match = _PULL_REQUESTS.search(title)
    if match is None:
        return title, ""
    return title[: match.start()], _NUMBER.findall(match[0])[-1]


def _issues(text: str, repository: str, pull_request: str) -> Iterator[str]:
    """Yield the issues and tickets that a message names, each once, without its own pull request."""
    known = {pull_request}
    for found in find_references(_SETTINGS, messages=(text,)):
        reference = _short(found.text, repository)
        if reference and reference not in known and found.origin in _NAMED:
            known.add(reference)
            yield reference


_SETTINGS = TicketSettings()
_NAMED = (Origin.COMMIT_CLOSES, Origin.COMMIT_TICKET, Origin.COMMIT_SUBJECT, Origin.COMMIT_REFERS)


def _short(reference: str, repository: str) -> str:
    """Return ``#12`` for an issue of this repository, ``owner/name#12`` for another; empty for an address."""
    match = _ISSUE_URL.match(reference)
    if match is not None:
        reference = f"{match['repository']}#{match['number']}"
    if "://" in reference:
        return ""
    name, hash_sign, number = reference.partition("#")
    if hash_sign and name.lower() == repository.lower():
        return f"#{number}"
    return f"#{reference[3:]}" if reference.upper().startswith("GH-") else reference


def _without_trailers(body: str) -> str:
    """Return a body without the paragraph of trailers at its end."""
    *paragraphs, last = _PARAGRAPH.split(_KNOWN_TRAILERS.sub("", body).strip())
    lines = [line for line in last.split("\n") if line.strip()]
    if not (lines and all(_TRAILER.match(line) or line[0] in " \t" for line in lines)):
        paragraphs.append(last)
    return "\n\n".join(paragraphs).strip()
