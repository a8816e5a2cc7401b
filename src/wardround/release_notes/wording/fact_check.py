"""The comparison of a wording with the facts that it may state; pure, and strict where it cannot decide."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.lazy import LazyPattern
from wardround.text.stemming import stem
from wardround.text.tokens import STOP_WORDS

LONGEST = 200
_NAME = LazyPattern(
    r"`[^`]+`"  # code
    r"|(?<![\w-])--?[A-Za-z][\w-]*"  # an option
    r"|[@#!]\w+"  # a mention, an issue, a merge request
    r"|\w+(?:[./:\\]+\w+)+"  # a path, a version, a dotted name
    r"|\b\w*(?:[a-z][A-Z]|_|\d)\w*"  # camelCase, snake_case, a number
    r"|\b[A-Z]{2,}\b"  # an abbreviation, the key of a ticket
)
_CAPITAL = LazyPattern(r"(?<=[a-z0-9,;:)] )[A-Z][a-z]+")
"""A capital inside of a sentence: the name of a product or a person."""
_WORD = LazyPattern(r"[A-Za-z][a-z']+")
_MARKUP = LazyPattern(r"[<>]|\]\(|\*\*|!\[|\bhttps?:|&\w+;|[^\S ]|[^\w\s!-~‘’“”–—…€°×]")  # noqa: RUF001
"""Markdown, HTML, and characters that are not those of a sentence."""
_CLAIMS = (
    ("remov", "drop", "delet", "no longer", "stop", "end"),
    ("renam",),
    ("deprecat",),
    ("requir", "mandator", "must"),
    ("break", "incompatib"),
    ("secure", "security", "vulnerab", "malicious", "exploit"),
    ("fast", "speed", "perform", "slow", "memory", "quick"),
    ("crash", "leak", "corrupt", "los"),
    ("default",),
    ("only",),
    ("all ", "every", "always", "any "),
)
"""Groups of beginnings of words that state the same; a wording neither adds nor drops one of them."""
_NEGATIONS = LazyPattern(r"\b(?:not|never|cannot|without|no|nor)\b|n't\b", re.IGNORECASE)
_PLAIN = frozenset(
    stem(word)
    for word in """
    able already another apply call case code command current different directly every exist existing
    first following full give handle has have include input keep last let like list long make many match
    message method name need new now old one open option output part pass possible present provide read
    receive report result return right run second set show single still take text time two type user value
    via way work write
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)
"""Words that state nothing by themselves in a sentence about a change."""


def violation(original: str, wording: str, evidence: str) -> str:
    """Return the reason why a wording may not replace a statement; empty if it may.

    Args:
        original: the statement that it replaces.
        evidence: all texts that state its facts, with the original among them or not.
    """
    if not wording.strip() or len(wording) > max(LONGEST, 2 * len(original)):
        return f"it is empty or longer than {LONGEST} characters"
    if markup := _MARKUP.search(wording):
        return f"it has markup: {markup[0]!r}"
    if wording.count("`") % 2:
        return "a backquote is not closed"
    facts = f"{original}\n{evidence}"
    return (
        next(_invented_names(wording, facts), "")
        or next(_dropped_names(original, wording), "")
        or next(_other_claims(original, wording), "")
        or next(_invented_words(wording, facts), "")
    )


def _invented_names(wording: str, facts: str) -> Iterator[str]:
    known = facts.casefold()
    for name in _names(wording):
        if not _has_name(known, name.casefold()):
            yield f"{name!r} is not in its evidence"


def _dropped_names(original: str, wording: str) -> Iterator[str]:
    remaining = wording.casefold()
    for name in _names(original):
        if not _has_name(remaining, name.casefold()):
            yield f"it drops {name!r}"


def _names(text: str) -> Iterator[str]:
    """Yield the names of a text; of code in backquotes its content."""
    for match in _NAME.finditer(text):
        yield match[0].strip("`").strip()
    for match in _CAPITAL.finditer(text):
        yield match[0]


def _has_name(text: str, name: str) -> bool:
    """Return True if a text has a name, not only as a part of another."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (_is_continuation(text, start - 1, name[0]) or _is_continuation(text, end, name[-1])):
            return True
        start = text.find(name, start + 1)
    return False


def _is_continuation(text: str, index: int, edge: str) -> bool:
    """Return True if the character at an index continues the word that an edge of a name belongs to."""
    return 0 <= index < len(text) and _is_word(text[index]) and _is_word(edge)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _other_claims(original: str, wording: str) -> Iterator[str]:
    before, after = original.casefold(), wording.casefold()
    for group in _CLAIMS:
        if _has_claim(before, group) != _has_claim(after, group):
            verb = "adds" if _has_claim(after, group) else "drops"
            yield f"it {verb} the claim {group[0]!r}"
    if bool(_NEGATIONS.search(original)) != bool(_NEGATIONS.search(wording)):
        yield "it adds or drops a negation"


def _has_claim(text: str, beginnings: tuple[str, ...]) -> bool:
    words = f" {text}"
    return any(f" {beginning}" in words or f"`{beginning}" in words for beginning in beginnings)


def _invented_words(wording: str, facts: str) -> Iterator[str]:
    known = _PLAIN | {stem(word) for word in _plain_words(facts)}
    for word in _plain_words(wording):
        if stem(word) not in known and word not in STOP_WORDS:
            yield f"{word!r} is not in its evidence"


def _plain_words(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text):
        yield match[0].casefold()
