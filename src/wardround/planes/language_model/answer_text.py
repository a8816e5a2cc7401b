"""The claims in the text of a model, which often surrounds its JSON with reasoning, a fence or sentences.

No text can hide a claim: the claims of all documents count, also of a truncated one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from wardround.lazy import LazyPattern

_MOST_FAILURES = 100
"""Number of failed attempts to parse a document; each can take as long as the text."""
_START = LazyPattern(r"[{\[]")
_REASONING_ENDS = "</think>"
_DOCUMENT_BEGINS = ("{", "[", "`")


class ClaimsInText(msgspec.Struct, frozen=True):
    """The claims of a text, as values of JSON.

    Attributes:
        is_complete: at least one document that the output schema describes is complete.
        has_documents: the text has JSON at all.
    """

    values: tuple[Any, ...] = ()
    is_complete: bool = False
    has_documents: bool = False


def claims_in(text: str, name: str = "findings", part: str = "quote") -> ClaimsInText:
    """Return the claims of all documents in a text, and single ones of a document that is cut off.

    Args:
        name: name of the list of claims in a document.
        part: a name that every claim has.
    """
    found: list[Any] = []
    is_complete = has_documents = False
    for value in documents_in(text):
        has_documents = True
        claims = _claims_of(value, name, part)
        if claims is not None:
            is_complete = True
            found += claims
        elif _is_claim(value, part):
            found.append(value)
    return ClaimsInText(tuple(found), is_complete, has_documents)


def _claims_of(value: Any, name: str, part: str) -> list[Any] | None:
    """Return the claims of a complete document, or of a list without one; None for anything else."""
    match value:
        case dict() if isinstance(value.get(name), list):
            return list(value[name])
        case [first, *_] if _is_claim(first, part):
            return list(value)
    return None


def _is_claim(value: Any, part: str) -> bool:
    return isinstance(value, dict) and part in value


def _strip_reasoning(text: str) -> str:
    """Return the part after the reasoning, whose opening tag some endpoints exclude."""
    reasoning, _, rest = text.partition(_REASONING_ENDS)
    return text if reasoning.lstrip().startswith(_DOCUMENT_BEGINS) else rest or text


def documents_in(text: str) -> Iterator[Any]:
    """Return the JSON objects and lists of an answer, in order; nested ones are parts of their parent."""
    text = _strip_reasoning(text)
    decoder = json.JSONDecoder()
    failures = 0
    start = _START.search(text)
    while start is not None and failures < _MOST_FAILURES:
        end = start.end()
        try:
            value, end = decoder.raw_decode(text, start.start())
            yield value
        except (ValueError, RecursionError):
            failures += 1
        start = _START.search(text, end)
