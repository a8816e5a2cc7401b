"""The names in the claims of a model that may be of definitions of the repository."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest

from wardround.lazy import LazyPattern
from wardround.planes.language_model.question import Question
from wardround.planes.language_model.verified_claims import CheckedClaim

MOST_NAMES = 24
_LEAST_LENGTH = 3
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_QUOTED = re.compile(r"`[^`]{1,200}`")
_CASES = re.compile(r"\w_\w|[a-z0-9][A-Z]|^[_$]")
"""The forms of a name that no word of a sentence has."""
_IN_CODE = LazyPattern(
    r"(?:(?<=\w\.)|(?<=\bdef )|(?<=\bclass )|(?<=\bfunction ))[A-Za-z_$][\w$]*|[A-Za-z_$][\w$]*(?=\()"
)
"""A name that is defined, called or read from an object, and is not a word of a comment."""
_CALL = LazyPattern(r"([\w$]+)\(")
_RESERVED = frozenset(keyword.kwlist) | {
    "boolean", "case", "catch", "const", "default", "enum", "export", "extends", "false", "final", "func",
    "function", "interface", "let", "new", "null", "number", "private", "protected", "public", "self",
    "static", "string", "struct", "switch", "this", "throw", "true", "type", "typeof", "undefined", "var",
    "void",
}  # fmt: skip
"""Keywords of Python and of the languages with braces that name nothing of a repository."""


def claimed_names(claims: Sequence[CheckedClaim], question: Question) -> list[str]:
    """Return names in claims, a name of each claim first, then a second of each.

    The names of a claim are those in the form of code in its message, those of its quote, then the words of
    the message that the sent code defines, calls or reads from an object.
    """
    sent = _sent_names(question)
    listed = [tuple(dict.fromkeys(_names(claim, sent))) for claim in claims]
    in_turn = (name for names in zip_longest(*listed) for name in names if name is not None)
    return list(dict.fromkeys(in_turn))[:MOST_NAMES]


def _names(claim: CheckedClaim, sent: Collection[str]) -> Iterator[str]:
    quoted = {name for match in _QUOTED.finditer(claim.message) for name in _names_of(match[0])}
    words = list(_names_of(claim.message))
    calls = {match[1] for match in _CALL.finditer(claim.message)}
    yield from (word for word in words if word in quoted or word in calls or _CASES.search(word))
    yield from _names_of(claim.quote)
    yield from (word for word in words if word in sent)


def _names_of(text: str) -> Iterator[str]:
    for name in _NAME.findall(text):
        if len(name) >= _LEAST_LENGTH and name not in _RESERVED:
            yield name


def _sent_names(question: Question) -> set[str]:
    """Return the names that the sent code defines, calls or reads from an object."""
    lines = [line for hunk in question.hunks for line in hunk.lines]
    lines += [line for code in question.code for line in code.lines.values()]
    return {name for line in lines for name in _IN_CODE.findall(line)}
