"""Detection of possible tokens in texts, which must not be printed or stored."""

from __future__ import annotations

import math
import re
from collections import Counter

from wardround.lazy import LazyPattern

_TOKEN_LIKE = LazyPattern(r"[A-Za-z0-9_-]{20,}")
_WORDS = LazyPattern(r"(?:[a-z]{1,16}\d{0,4}|\d{1,4})(?:[-_](?:[a-z]{1,16}\d{0,4}|\d{1,4})){1,20}\Z")
"""Lower-case words with short numbers, such as the name of an encoding or a function."""
_LEAST_WORDS = 2
_LEAST_WORD = 3
_FORMATS = (
    LazyPattern(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY[A-Z -]{0,40}-----[A-Za-z0-9+/=:,\s\"'\\-]{0,12000}"),
    LazyPattern(r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}"),
    LazyPattern(r"\b(?:gh[a-z]_|github_pat_|glpat-|pypi-|dop_v1_|shp[a-z]{2}_)[A-Za-z0-9_-]{12,}"),
    LazyPattern(r"\b(?:npm_|hf_)[A-Za-z0-9]{30,}"),
    LazyPattern(r"\b(?:[spr]k[_-]|xox[a-z]-|xapp-|SG\.|AIza|ya29\.|eyJ)[A-Za-z0-9_.-]{14,}"),
    LazyPattern(r"\bhttps://hooks\.[\w./-]{8,}"),
)
"""The forms of private keys and of the tokens of well-known services, as their documentation shows them."""
_URL_PASSWORD = LazyPattern(r"(?<=://)([^\s/:@\"']{0,100}):([^\s/@\"']{1,200})(?=@)")
_AUTHORIZATION = LazyPattern(r"(?i)\b(bearer|basic)[ \t]+[A-Za-z0-9._~+/-]{8,}=*")
_ASSIGNED = LazyPattern(
    r"(?i)(?P<name>(?:passw(?:or)?d|passwd|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|"
    r"private[_-]?key|credential)[\w-]{0,20}[\"']?\s{0,5}(?::=|=>|[:=])\s{0,5})"
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\n]{4,400}?)(?P=quote)|(?P<bare>[^\s\"'`,;(){}\[\]<>]{6,200}))"
)
_UNBROKEN_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=_.~-"
_LITERAL = LazyPattern(
    r"(?<=\bDecimal\()(?P<decimal>'-?\d{1,400}(?:\.\d{1,400})?(?:E[+-]?\d{1,9})?')(?=\))"
    r"|'(?:[^'\\]|\\[\s\S])*(?:'|\\?\Z)|\"(?:[^\"\\]|\\[\s\S])*(?:\"|\\?\Z)"
    r"|(?<![\w.])(?P<number>(?:\d[\d_]{5,}(?:\.\d*)?|\d{1,6}\.\d{5,})(?:e[+-]?\d{1,9})?j?)(?![\w.])"
)
"""A decimal number in quotes, another text in quotes, or a long number."""
_NUMBER = "\ue000"
"""The place of a number, from a private range of Unicode."""
_LONGEST_NAME = 60
_EXAMPLE = "a1b2c3d4"
_LEAST_VALUE = 8
_MIXED = LazyPattern(r"[A-Za-z0-9+/=_.~-]{24,}")
_LEAST_ENTROPY = 3.6
"""Bits per character from which on a long run of letters and digits is random: base64 of 24 random bytes
has 4.2 or more, a long name or path in code mostly less than 3.6.
"""


def may_contain_token(text: str) -> bool:
    """Return True if a text contains a run of characters as long as a token, with a digit among them."""
    return any(map(_has_digit, _TOKEN_LIKE.findall(text)))


def redact_tokens(text: str) -> str:
    """Return a text without anything that could be a token."""
    return _TOKEN_LIKE.sub(
        lambda run: "***" if _has_digit(run.group()) and not _is_name(run.group()) else run.group(), text
    )


def _is_name(run: str) -> bool:
    """Return True for words with short numbers, two of them long enough to be no part of a random text."""
    words = re.split("[-_]", run) if _WORDS.match(run) else []
    return sum(len(word.rstrip("0123456789")) >= _LEAST_WORD for word in words) >= _LEAST_WORDS


def _has_digit(run: str) -> bool:
    return any(map(str.isdigit, run))


def beginning(text: str, limit: int) -> str:
    """Return the beginning of a text, cut so that no part of a token remains."""
    return text if len(text) <= limit else text[:limit].rstrip(_UNBROKEN_CHARACTERS)


def redact_secrets(text: str) -> str:
    """Return a text, line by line, without strings in the form of a secret; names and paths may be removed
    too.

    It replaces private keys, the tokens of well-known services, passwords in URLs, quoted values of names
    such as ``password``, and long random strings.
    """
    for pattern in _FORMATS:
        text = pattern.sub(_masked_lines, text)
    text = _URL_PASSWORD.sub(r"***:***", text)
    text = _AUTHORIZATION.sub(r"\1 ***", text)
    text = _ASSIGNED.sub(_masked_value, text)
    text = _MIXED.sub(lambda run: "***" if _is_random(run.group()) else run.group(), text)
    return redact_tokens(text)


def redact_literals(text: str) -> str:
    """Return source code as ``redact_secrets`` does, with its plain numbers: a long one is not a token.

    A number is redacted in a string literal, and as the value of a name such as ``password``.
    """
    numbers: list[str] = []

    def hide(match: re.Match[str]) -> str:
        before = text[max(0, match.start() - _LONGEST_NAME) : match.start()]
        before = before.removesuffix("Decimal(").removesuffix("decimal.")
        assigned = _ASSIGNED.search(f"{before}{_EXAMPLE}")
        number = match["number"] or match["decimal"]
        if number is None or (assigned and assigned["bare"] == _EXAMPLE):
            return match.group()
        numbers.append(number)
        return _NUMBER

    if _NUMBER in text:
        return redact_secrets(text)
    shown = iter(redact_secrets(_LITERAL.sub(hide, text)).split(_NUMBER))
    return next(shown) + "".join(f"{number}{mask}" for number, mask in zip(numbers, shown, strict=False))


def assigned_secrets(text: str) -> frozenset[str]:
    """Return the quoted values of names such as ``password`` that are not words, so that they can be found in
    other texts.
    """
    values = (match["quoted"] for match in _ASSIGNED.finditer(text) if match["quoted"])
    return frozenset(value for value in values if len(value) >= _LEAST_VALUE and _has_digit(value))


def _masked_lines(match: re.Match[str]) -> str:
    """Return the mask of a text, with as many lines."""
    return "\n".join("***" for _ in match.group().split("\n"))


def _masked_value(match: re.Match[str]) -> str:
    """Return the mask of the value of an assignment, unless the value is code, such as a name or a call."""
    if match["quoted"] is not None:
        return f"{match['name']}{match['quote']}***{match['quote']}"
    return f"{match['name']}***" if _has_digit(match["bare"]) else match.group()


def _is_random(run: str) -> bool:
    kinds = (str.isupper, str.islower, str.isdigit)
    counts = Counter(run).values()
    entropy = -sum(count / len(run) * math.log2(count / len(run)) for count in counts)
    return all(any(map(kind, run)) for kind in kinds) and entropy >= _LEAST_ENTROPY
