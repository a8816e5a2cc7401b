"""The claims in the text of a model, which often surrounds its JSON with reasoning, a fence or sentences.

No text can hide a claim: the claims of all documents count, also of a truncated one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec

from wardround.lazy import LazyPattern

_MOST_FAILURES = 100
"""Number of failed attempts to parse a document; each can take as long as the text."""
_START = LazyPattern(r"[{\[]")
_REASONING_BEGINS, _REASONING_ENDS = "<think>", "</think>"


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


def documents_in(text: str) -> Iterator[Any]:
    """Return the JSON objects and lists of an answer, in order; nested ones are parts of their parent."""
    text = _strip_reasoning(text)
    reasoning_end = text.find(_REASONING_ENDS)
    failures = 0
    start = _START.search(text)
    while start is not None and failures < _MOST_FAILURES:
        end = start.end()
        try:
            value, end = _DECODER.raw_decode(text, start.start())
            yield value
        except (ValueError, RecursionError):
            failures += 1
        if failures == _MOST_FAILURES and end <= reasoning_end:
            failures, end = 0, reasoning_end
        start = _START.search(text, end)


def _strip_reasoning(text: str) -> str:
    """Return the part after the reasoning.

    Some endpoints leave its opening tag out. The text before the closing one is retained then: an answer can
    quote that tag after its claims.
    """
    reasoning, _, rest = text.partition(_REASONING_ENDS)
    return rest if rest and reasoning.lstrip().startswith(_REASONING_BEGINS) else text


def _join_repeated(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object in which no value of a repeated key hides another: lists are joined, and of other
    values that differ none remains.
    """
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    values: dict[str, list[Any]] = {}
    for key, value in pairs:
        values.setdefault(key, []).append(value)
    return {key: _join(several) for key, several in values.items()}


def _join(values: Sequence[Any]) -> Any:
    first, *further = values
    if further and all(isinstance(value, list) for value in values):
        return list(chain.from_iterable(values))
    are_equal = all(value == first for value in further)
    return first if are_equal else None


_DECODER = json.JSONDecoder(object_pairs_hook=_join_repeated)
