"""The words of a commit message, a ticket or an issue, without those that state its kind, and without names
and paths.

A model of kinds is trained on these texts and classifies them in a review, so both use the same function.
"""

from __future__ import annotations

import re

import msgspec

from wardround.lazy import LazyPattern

MOST_WORDS = 60
"""Maximum number of words of a text; the kind shows in the subject and the first sentences."""
_MOST_CHARACTERS = 4_000
_PREFIX = LazyPattern(r"\s*(?P<type>[a-z]{2,12})(?:\((?P<scope>[^)\n]{0,60})\))?!?:[ \t]+", re.IGNORECASE)
_BULLET_PREFIX = LazyPattern(
    r"^(?P<bullet>[ \t]*[-*+][ \t]+)[a-z]{2,12}(?:\([^)\n]{0,60}\))?!?:[ \t]+", re.IGNORECASE | re.MULTILINE
)
_TRAILER = LazyPattern(
    r"^(?:[A-Z][A-Za-z]+(?:-[A-Za-z]+)+|(?:refs?|see|issue|pr)[ \t]*):?[ \t]+\S[^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)
"""``Signed-off-by: ...`` and lines that refer to something else."""
_CLOSES = LazyPattern(
    r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?)[ \t]*:?[ \t]+(?:[\w./-]{1,80})?#\d+[^\n]{0,40}",
    re.IGNORECASE,
)
_FENCE = LazyPattern(
    r"^[ \t]*(?:```|~~~)[^\n]*\n.*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_COMMENT = LazyPattern(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PLACES = LazyPattern(
    r"https?://\S{1,500}|\(?[\w./-]{0,80}#\d+\)?|\b[0-9a-f]{7,40}\b|\S{1,80}@\S{1,80}\.\w{2,12}"
    r"|(?:[\w.@-]{1,60}/)+[\w.@*-]{1,60}|\b[\w-]{1,60}\.(?:pyi?|[cm]?[jt]sx?|vue|svelte|sql|ya?ml|toml|json|md|rst|go|rs|java|kt|php|rb|cs|cpp|hp?p?|sh|css|html?|lock|txt|xml)\b"
)
"""Addresses, issue numbers, commit ids, paths and file names."""
_SPACES = LazyPattern(r"\s+")


class CommitPrefix(msgspec.Struct, frozen=True):
    """The type and scope before the subject of a commit, in lower case; both empty without a prefix."""

    type: str = ""
    scope: str = ""


def split_prefix(subject: str) -> tuple[CommitPrefix, str]:
    """Return the prefix of a subject as Conventional Commits define it, and the rest."""
    match = _PREFIX.match(subject)
    if match is None:
        return CommitPrefix(), subject.strip()
    return CommitPrefix(match["type"].lower(), (match["scope"] or "").lower()), subject[match.end() :].strip()


def task_text(subject: str, body: str = "") -> str:
    """Return the words of a text for models; empty if none remain.

    Args:
        subject: the first line of a message, or the title of a ticket.
        body: the rest; code, quoted addresses, trailers and references to other tasks are dropped.
    """
    _, title = split_prefix(subject)
    plain = body[:_MOST_CHARACTERS]
    for pattern in (_FENCE, _COMMENT, _TRAILER):
        plain = pattern.sub(" ", plain)
    plain = _BULLET_PREFIX.sub(r"\g<bullet>", plain)
    words = f"{_strip_places(title)}. {_strip_places(plain)}".split()
    return " ".join(words[:MOST_WORDS]).strip(" .")


def _strip_places(text: str) -> str:
    return _SPACES.sub(" ", _PLACES.sub(" ", _CLOSES.sub(" ", text))).strip(" .")
