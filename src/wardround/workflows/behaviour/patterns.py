"""Regular expressions in results: two with another text are the same if they match the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.workflows.behaviour.comparison import CallPair, FunctionResult, result_key
from wardround.workflows.behaviour.normal_text import STRING_LITERAL
from wardround.workflows.behaviour.stages import Probes, ReplayedCall

_LITERAL = LazyPattern(STRING_LITERAL)
_MOST_TEXTS = 200
_MOST_PATTERNS = 40
_LONGEST = 200


def probes_of(results: Sequence[FunctionResult], base: Sequence[ReplayedCall]) -> Probes | None:
    """Return the regular expressions that only one side of a differing call has, and texts of the calls.

    Args:
        base: all calls on the base.
    """
    pairs = [pair for one in results for pair in one.differing]
    patterns = {text for one in pairs for text in {*one.base.compiled} ^ {*one.head.compiled}}
    if not patterns:
        return None
    functions = {one.base.function for one in pairs}
    calls = [one for one in base if one.function in functions]
    texts = dict.fromkeys(text for one in calls for text in _texts(one))
    return Probes(tuple(sorted(patterns)[:_MOST_PATTERNS]), tuple(texts)[:_MOST_TEXTS])


def without_equal_patterns(
    results: Sequence[FunctionResult], base: Sequence[ReplayedCall], head: Sequence[ReplayedCall]
) -> tuple[FunctionResult, ...]:
    """Leave out pairs that differ only in regular expressions that match the same.

    Args:
        base: differing calls, repeated on the base with probes.
        head: the same on the head.
    """
    before, after = _digests(base), _digests(head)

    def differs(pair: CallPair) -> bool:
        return result_key(_matched(pair.base, before)) != result_key(_matched(pair.head, after))

    return tuple(
        msgspec.structs.replace(one, differing=tuple(filter(differs, one.differing))) for one in results
    )


def _digests(calls: Sequence[ReplayedCall]) -> Mapping[str, str]:
    found = {text: digest for one in calls for text, digest in one.compiled.items() if digest}
    return dict(sorted(found.items(), key=lambda one: -len(one[0])))


def _matched(call: ReplayedCall, digests: Mapping[str, str]) -> ReplayedCall:
    """Return a call with what its regular expressions match in the place of their texts."""
    found = {text: digest for text, digest in digests.items() if text in call.compiled}
    changed = {name: (_replaced(texts[0], found), *texts[1:]) for name, texts in call.changed.items()}
    return msgspec.structs.replace(call, text=_replaced(call.text, found), changed=changed)


def _replaced(text: str, digests: Mapping[str, str]) -> str:
    """Return a text without the texts of patterns, also where they are in the ``repr`` of a text."""
    for pattern, digest in digests.items():
        quoted = pattern.replace("\\", "\\\\")
        for form in (quoted.replace("'", "\\'"), quoted, pattern):
            text = text.replace(form, f"<pattern {digest}>")
    return text


def _texts(call: ReplayedCall) -> Iterator[str]:
    for found in _LITERAL.finditer(f"{call.written} {call.text}"):
        try:
            value = ast.literal_eval(found.group())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(value, str):
            yield value[:_LONGEST]
