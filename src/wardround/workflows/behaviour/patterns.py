"""Regular expressions in results: two with another text are the same if they match the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from wardround.lazy import LazyPattern
from wardround.workflows.behaviour.comparison import CallPair, FunctionResult, result_key
from wardround.workflows.behaviour.normal_text import STRING_LITERAL
from wardround.workflows.behaviour.stages import Probes, ReplayedCall

_LITERAL = LazyPattern(STRING_LITERAL)
_MOST_TEXTS = 200
_MOST_PATTERNS = 40
_LONGEST = 200


def probes_of(results: Sequence[FunctionResult], base: Sequence[ReplayedCall]) -> Probes | None:
    """Return the regular expressions that only one version of a differing call has, and strings of the calls.

    Args:
        base: all calls on the base.
    """
    pairs = [pair for result in results for pair in result.differing]
    patterns: set[str] = set()
    for pair in pairs:
        patterns |= {*pair.base.compiled} ^ {*pair.head.compiled}
    if not patterns:
        return None
    functions = {pair.base.function for pair in pairs}
    calls = [call for call in base if call.function in functions]
    texts = dict.fromkeys(text for call in calls for text in _strings_in(call))
    return Probes(tuple(sorted(patterns)[:_MOST_PATTERNS]), tuple(texts)[:_MOST_TEXTS])


def drop_equal_patterns(
    results: Sequence[FunctionResult], base: Sequence[ReplayedCall], head: Sequence[ReplayedCall]
) -> tuple[FunctionResult, ...]:
    """Exclude pairs that differ only in regular expressions that match the same.

    Args:
        base: differing calls, repeated on the base with probes.
        head: the same on the head.
    """
    before, after = _digests(base), _digests(head)

    def matches_differ(pair: CallPair) -> bool:
        return result_key(_replace_patterns_by_matches(pair.base, before)) != result_key(
            _replace_patterns_by_matches(pair.head, after)
        )

    return tuple(
        msgspec.structs.replace(result, differing=tuple(filter(matches_differ, result.differing)))
        for result in results
    )


def _digests(calls: Sequence[ReplayedCall]) -> Mapping[str, str]:
    found = {text: digest for call in calls for text, digest in call.compiled.items() if digest}
    return dict(sorted(found.items(), key=lambda pair: -len(pair[0])))


def _replace_patterns_by_matches(call: ReplayedCall, digests: Mapping[str, str]) -> ReplayedCall:
    """Return a call with its regular expressions replaced by their matches."""
    found = {text: digest for text, digest in digests.items() if text in call.compiled}
    changed = {name: (_replace_patterns(texts[0], found), *texts[1:]) for name, texts in call.changed.items()}
    return msgspec.structs.replace(call, text=_replace_patterns(call.text, found), changed=changed)


def _replace_patterns(text: str, digests: Mapping[str, str]) -> str:
    """Return a representation without the sources of patterns, also inside the ``repr`` of a string."""
    for pattern, digest in digests.items():
        quoted = pattern.replace("\\", "\\\\")
        for form in (quoted.replace("'", "\\'"), quoted, pattern):
            text = text.replace(form, f"<pattern {digest}>")
    return text


def _strings_in(call: ReplayedCall) -> Iterator[str]:
    for found in _LITERAL.finditer(f"{call.written} {call.text}"):
        try:
            value = ast.literal_eval(found.group())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(value, str):
            yield value[:_LONGEST]
