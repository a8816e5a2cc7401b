"""Ambiguous literals: in the position of a secret, and neither certainly a secret nor certainly harmless.

A literal is certainly a secret where a check reports it, and certainly harmless where it is a template,
a placeholder, an address, a number or plain words.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.lazy import LazyPattern
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.passwords import denotes_password, is_password
from wardround_secrets.detection.random_values import is_random
from wardround_secrets.detection.scanner import ScannedText

SHORTEST, LONGEST = 6, 200
ASSIGNED = "assigned"
"""The kind of position that the checks inspect themselves."""
_SURELY_NONE = LazyPattern(
    r"[\w+.-]+://|(?:\.{0,2}|~|#|[\w.@-]+)/(?:[\w.@{}:-]+/)*[\w.@-]*$|[\w.+-]+@[\w-]+\.\w+$|\w+\(|arn:|ssh-"
    r"|sha\d+[-:]|data:|projects/|secretsmanager:|vault:|ref:|op://|ENC\[|AQICAH|pk_|phc_|eyJ|\$\w+\$"
    r"|[\d.,:/ +-]+$|[~^<>=]+ ?[\w.]+$|[a-z_]{3,12}=$|\W*\[\^?[\w-]+\]|.*\*\*$|\d{4}-\d\d-\d\d|v?\d+\.\d+"
    r"|[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+(?:\(|$)|--?[a-z]|rgba?\("
)
_PLAIN = LazyPattern(r"_{0,2}[^\W\d_]+(?:[ ._:/'-]{1,2}[^\W\d_]+)*[ .:!?_-]?$")
_FOUR_LETTERS = LazyPattern(r"[^\W\d_]{4}")
_ENGLISH_SHARE = 0.34
"""Minimum share of letter pairs that are English for a value without digits to be plain words."""
_HEADER = LazyPattern(r"[\"'`\s:](?P<name>Bearer|Basic|Token)[ ]+(?P<value>[\w.~+/=-]{6,200})(?=[\"'`])")
_WITHIN = LazyPattern(
    r"[\"'`;&?] ?(?P<name>Password|password|Pwd|pwd|PWD|PASSWORD)="
    r"(?P<value>[^\"'`\s;&=<>{}\[$%()]{6,80})(?=[\"'`;&])"
)
_HEADERS, _STRINGS = (b"bearer ", b"basic ", b"token "), (b"password=", b"pwd=")
WITHOUT_NAME = (*_HEADERS, *_STRINGS)
"""Words in lower case; a file with an unassigned ambiguous literal contains at least one."""


class CandidateLiteral(msgspec.Struct, frozen=True):
    """A value, its name and its offsets; ``place`` is the kind of position in which it was found."""

    name: str
    value: str
    start: int
    end: int
    place: str = ASSIGNED


def ambiguous_literals(text: ScannedText) -> Iterator[CandidateLiteral]:
    """Yield every ambiguous literal, by kind of position, each offset once."""
    seen: set[int] = set()
    for literal in _candidate_literals(text):
        if literal.start not in seen and is_ambiguous(literal.name, literal.value, literal.place):
            seen.add(literal.start)
            yield literal


def _candidate_literals(text: ScannedText) -> Iterator[CandidateLiteral]:
    """Yield the literals in the position of a secret."""
    for assignment in text.assignments:
        yield CandidateLiteral(assignment.name, assignment.value, assignment.start, assignment.end)
    if any(word in text.lower for word in _HEADERS):
        yield from _matches(text.text, _HEADER, "header")
    if any(word in text.lower for word in _STRINGS):
        yield from _matches(text.text, _WITHIN, "within")


def _matches(text: str, pattern: LazyPattern, place: str) -> Iterator[CandidateLiteral]:
    for match in pattern.finditer(text):
        yield CandidateLiteral(match["name"], match["value"], *match.span("value"), place)


def is_ambiguous(name: str, value: str, place: str = ASSIGNED) -> bool:
    """Return True if neither the checks nor the filters can classify a value."""
    if not SHORTEST <= len(value) <= LONGEST or is_surely_harmless(value):
        return False
    return place != ASSIGNED or not (is_random(value) or (denotes_password(name) and is_password(value)))


def is_surely_harmless(value: str) -> bool:
    """Return True if a value is a template, a placeholder, an address, a number or plain words."""
    if value_filters.is_template(value) or value_filters.is_placeholder(value) or _SURELY_NONE.match(value):
        return True
    return is_plain(value)


def is_plain(value: str) -> bool:
    """Return True if a value is words or an identifier without digits."""
    if " " in value and value_filters.is_wordy(value, _ENGLISH_SHARE):
        return True
    if not _PLAIN.match(value):
        return False
    return value_filters.is_wordy(value, _ENGLISH_SHARE) or not _FOUR_LETTERS.search(value)
