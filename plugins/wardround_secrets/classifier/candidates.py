"""Which literals are in doubt: where a secret could stand, and what is neither surely one nor surely none.

A literal is surely a secret where a check reports it, and surely none where something takes its place at run
time, where it says itself that it is made up, or where it is an address, a number or plain words.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround_secrets.checks.passwords.assigned_secret import is_drawn
from wardround_secrets.checks.passwords.hardcoded_password import is_password, names_a_password
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.scanner import ScannedText

SHORTEST, LONGEST = 6, 200
ASSIGNED = "assigned"
"""The place that the checks look at themselves."""
_SURELY_NONE = LazyPattern(
    r"[\w+.-]+://|(?:\.{0,2}|~|#|[\w.@-]+)/(?:[\w.@{}:-]+/)*[\w.@-]*$|[\w.+-]+@[\w-]+\.\w+$|\w+\(|arn:|ssh-"
    r"|sha\d+[-:]|data:|projects/|secretsmanager:|vault:|ref:|op://|ENC\[|AQICAH|pk_|phc_|eyJ|\$\w+\$"
    r"|[\d.,:/ +-]+$|[~^<>=]+ ?[\w.]+$|[a-z_]{3,12}=$|\W*\[\^?[\w-]+\]|.*\*\*$|\d{4}-\d\d-\d\d|v?\d+\.\d+"
    r"|[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+(?:\(|$)|--?[a-z]|rgba?\("
)
_PLAIN = LazyPattern(r"_{0,2}[^\W\d_]+(?:[ ._:/'-]{1,2}[^\W\d_]+)*[ .:!?_-]?$")
_FOUR_LETTERS = LazyPattern(r"[^\W\d_]{4}")
_SPOKEN = 0.34
"""The part of its pairs of letters that must be English for a value without a digit to be plain words."""
_HEADER = LazyPattern(r"[\"'`\s:](?P<name>Bearer|Basic|Token)[ ]+(?P<value>[\w.~+/=-]{6,200})(?=[\"'`])")
_WITHIN = LazyPattern(
    r"[\"'`;&?] ?(?P<name>Password|password|Pwd|pwd|PWD|PASSWORD)="
    r"(?P<value>[^\"'`\s;&=<>{}\[$%()]{6,80})(?=[\"'`;&])"
)
_HEADERS, _STRINGS = (b"bearer ", b"basic ", b"token "), (b"password=", b"pwd=")


class CandidateLiteral(msgspec.Struct, frozen=True):
    """A value, the name it stands by, and where it stands; ``place`` says how it was found."""

    name: str
    value: str
    start: int
    end: int
    place: str = ASSIGNED


def literals_in_doubt(text: ScannedText) -> Iterator[CandidateLiteral]:
    """Every literal in doubt, in the order of the ways they are found, no value's place twice."""
    seen: set[int] = set()
    for literal in _placed(text):
        if literal.start not in seen and is_in_doubt(literal.name, literal.value, literal.place):
            seen.add(literal.start)
            yield literal


def _placed(text: ScannedText) -> Iterator[CandidateLiteral]:
    """Literals where a secret could stand."""
    for given in text.assignments:
        yield CandidateLiteral(given.name, given.value, given.start, given.end)
    if any(word in text.lower for word in _HEADERS):
        yield from _matches(text.text, _HEADER, "header")
    if any(word in text.lower for word in _STRINGS):
        yield from _matches(text.text, _WITHIN, "within")


def _matches(text: str, pattern: LazyPattern, place: str) -> Iterator[CandidateLiteral]:
    for match in pattern.finditer(text):
        yield CandidateLiteral(match["name"], match["value"], *match.span("value"), place)


def is_in_doubt(name: str, value: str, place: str = ASSIGNED) -> bool:
    """Whether neither the checks nor a plain look can tell what a value is."""
    if not SHORTEST <= len(value) <= LONGEST or is_surely_none(value):
        return False
    return place != ASSIGNED or not (is_drawn(value) or (names_a_password(name) and is_password(value)))


def is_surely_none(value: str) -> bool:
    """Whether a value is filled in later, made up, an address, a number, or plain words."""
    if (
        value_filters.is_filled_in_later(value)
        or value_filters.is_made_up(value)
        or _SURELY_NONE.match(value)
    ):
        return True
    return is_plain(value)


def is_plain(value: str) -> bool:
    """Whether a value is words or a name of code, without a digit in it."""
    if " " in value and value_filters.is_wordy(value, _SPOKEN):
        return True
    if not _PLAIN.match(value):
        return False
    return value_filters.is_wordy(value, _SPOKEN) or not _FOUR_LETTERS.search(value)
