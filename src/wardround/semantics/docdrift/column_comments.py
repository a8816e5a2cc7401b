"""Comments of a column that contradict its type."""

from __future__ import annotations

import re

from wardround.checks.lazy import LazyPattern

_FRACTIONS = frozenset({"numeric", "decimal", "money", "real", "float", "double", "dec"})
_MOMENTS = frozenset({"timestamp", "timestamptz", "date", "datetime", "datetime2", "smalldatetime"})
_TRUTHS = frozenset({"boolean", "bool"})
_LISTS = frozenset({"json", "jsonb"})
_TEXTS = frozenset({"varchar", "char", "character", "nvarchar", "varchar2", "bpchar"})
_CENTS = LazyPattern(
    r"(?i)\b(?:in|as|number of|amount of)(?: (?:the|euro|us|eur|usd|whole|integer))? "
    r"(cents|pence|minor units?|öre|smallest (?:currency )?units?|smallest units?)\b"
)
_EPOCH = LazyPattern(
    r"(?i)\b((?:unix|epoch) (?:time(?:stamp)?|seconds|millis\w*)|(?:milli)?seconds since(?: the)? epoch"
    r"|since the (?:unix )?epoch|epoch (?:in )?(?:milli)?seconds)\b"
)
_JOINED = LazyPattern(r"(?i)\b((?:comma|semicolon|pipe|space)[- ]?(?:separated|delimited))\b")
_WHETHER = LazyPattern(r"(?i)^\W*(whether\b|true (?:if|when|while|for)\b|false (?:if|when|while)\b)")
_MOMENT = LazyPattern(
    r"(?i)^\W*((?:the )?(?:time(?:stamp)?|date|moment|point in time) (?:at|on|of|when|that|it)\b|set when\b)"
)
_ZERO_ONE = LazyPattern(r"(?i)\b(0 ?= ?\w+[,;/ ]+(?:and )?1 ?= ?\w+|0 or 1|1 (?:if|for|when) \w+)")
_LENGTH = LazyPattern(
    r"(?i)\b(?:at most|up to|max(?:imum|\.)?(?: of| length)?|no more than) (\d{1,5}) (?:characters|chars"
    r"|letters)\b"
)
_EXACT = LazyPattern(r"(?i)\b(two|three|four|2|3|4)[- ]letter\b")
_COUNTED = LazyPattern(
    r"(?i)^\W*(?:in |duration in |time in |took in )?((?:milli)?seconds|minutes|hours|days|ms)\W*$"
)
_SPOKEN = {"two": 2, "three": 3, "four": 4}


def contradiction(
    kind: str, sizes: tuple[int, ...], words: str, *, is_list: bool
) -> tuple[int, int, str] | None:
    """Return start and end of a statement that the type contradicts, and the reason; None without one.

    Args:
        kind: the type's name in lower case, without its size: ``numeric``, ``timestamptz``.
        sizes: length, or precision and scale, if the type declares them.
        is_list: True if the column holds an array of the type.
    """
    says: tuple[re.Match[str] | None, str] = (None, "")
    if is_list or kind in _LISTS:
        says = _JOINED.search(words), "the type is itself a list"
    elif kind in _FRACTIONS and not (
        kind in ("numeric", "decimal", "dec") and (len(sizes) < 2 or not sizes[1])
    ):
        says = _CENTS.search(words), "the type stores fractions of the unit"
    elif kind in _MOMENTS:
        says = _EPOCH.search(words) or _WHETHER.search(words), f"the column is of type {kind}"
    elif kind in _TRUTHS:
        says = _MOMENT.search(words) or _ZERO_ONE.search(words), "the column is a boolean"
    elif kind == "interval":
        says = _COUNTED.search(words), "the type itself defines the unit"
    elif kind == "text":
        says = _ZERO_ONE.search(words), "the column holds text"
    elif kind in _TEXTS and sizes:
        return _of_length(sizes[0], words)
    match, why = says
    return (*match.span(1), why) if match else None


def _of_length(size: int, words: str) -> tuple[int, int, str] | None:
    """Return a bound on the length that the comment states and the type does not enforce."""
    match = _LENGTH.search(words)
    if match and int(match[1]) != size:
        return *match.span(1), f"the type takes {size}"
    exact = _EXACT.search(words)
    said = _SPOKEN.get(exact[1].lower()) or int(exact[1]) if exact else 0
    if exact and said > size:
        return *exact.span(1), f"the type takes no more than {size}"
    return None
