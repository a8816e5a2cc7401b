"""What one test lost between two versions of it."""

from __future__ import annotations

import ast
import enum
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from wardround.storage.regex_cache import bounded
from wardround_tests.analysis.literal_values import is_written_out
from wardround_tests.models.assertions import EXACT, LOOSE, PARTIAL, Assertion, TestedCase

LITERAL = (
    r"(?s)\"\"\".*?\"\"\"|'''.*?'''|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`|\b\d[\w.]*"
)
_STEP = r"\s*(await\b|const\b|let\b|with\b|for\b|if\b|del\b|[\w.]+\(|[\w., ]+(:[^=]+)?=[^=>])"
_HELPER = r"\b(?:expect|assert|check|verify)(?:_\w+|[A-Z]\w*)(?=\()"
_ASKING = r"\b(toHaveBeen\w+|assert_\w+)(?=\()"
_REFERENCE = r"#\d|https?://"


_PARTS = (
    ("set(", ")"),
    ("frozenset(", ")"),
    ("sorted(", ")"),
    ("len(", ")"),
    ("Counter(", ")"),
    ("type(", ")"),
    ("new Set(", ")"),
    ("[...", "].sort()"),
    ("", ".length"),
    ("typeof ", ""),
)
"""How a test asks for less of a value: what is written before it and behind it."""
_SHORTEST_ROW = 2
_COARSE = 0.01
"""The relative error from which on a test lets pass what a person would call another value."""


class Loss(enum.Enum):
    """In which way a test is less than before."""

    SKIPPED = "it asserts what it did, and is not run or may fail"
    LOOSER = "it asserts less of the same thing"
    WIDER = "it lets the value be further off"
    GONE = "an assertion is there no more"
    FEWER = "it is run with fewer cases"


class Lost(msgspec.Struct, frozen=True):
    """What a test lost.

    Attributes:
        assertion: the one that went; empty if the test was skipped.
        is_telling: True if the lost assertion said more than that there is something.
        is_a_note: it may well be right, whatever else the change does.
        is_with_steps: the test does other things than before too, so it may be about something else.
        line: where the assertion stands that is there instead; 0 if there is none.
    """

    message: str
    kind: Loss
    assertion: str = ""
    is_telling: bool = True
    is_a_note: bool = False
    is_with_steps: bool = False
    line: int = 0


class OtherLiteral(msgspec.Struct, frozen=True):
    """An expected value that was changed while the rest of its test stayed as it was."""

    was: str
    now: str


def losses(before: TestedCase, after: TestedCase, elsewhere: Counter[str]) -> Iterator[Lost]:
    """What a test lost, most telling first.

    Args:
        elsewhere: how often other tests of the file have each assertion more or less often than before.
    """
    if after.skip and not before.skip and not re.search(_REFERENCE, after.skip):
        is_told = bounded(r"reason|[\"'].*\w.*[\"']").search(after.skip) is not None
        yield Lost(f'"{after.name}" is skipped now, and ran before', Loss.SKIPPED, is_a_note=is_told)
    if before.source == after.source and before.parameters == after.parameters:
        return
    gone = list((Counter(before.assertions) - Counter(after.assertions)).elements())
    gone = [a for a in gone if "eprecat" not in a.text and not _is_moved(a, after.assertions)]
    new = list((Counter(after.assertions) - Counter(before.assertions)).elements())
    for old, now in _pairs(gone, new):
        if now.strength == LOOSE and old.strength > LOOSE:
            text = f'"{after.name}" asked for {_short(old.text)}, now only for {_short(now.text)}'
            yield Lost(text, Loss.LOOSER, old.text, line=now.line)
        elif _asks_part_of(old, now) or (
            now.strength < old.strength and (old.expected or now.subject in ("raises", "assertRaises"))
        ):
            text = f'"{after.name}" asked for {_short(old.text)}, now only for {_short(now.text)}'
            yield Lost(text, Loss.LOOSER, old.text, is_a_note=True, line=now.line)
        yield from _wider(after.name, old, now)
    kept = [a for a in gone if elsewhere[a.text] < 0 and not _is_about_none(a, after.assertions)]
    kept = [a for a in kept if not _is_waited_for(a.text, after.source)]
    if kept and not new and not after.skip and not _hands_on(before, after):
        count = "an assertion" if len(kept) == 1 else f"{len(kept)} assertions"
        telling = [a for a in kept if a.strength > LOOSE]
        first = (telling or kept)[0]
        text = f'"{after.name}" lost {count}: {_short(first.text)}'
        has_other_steps = _steps(before) - _steps(after)
        yield Lost(text, Loss.GONE, first.text, bool(telling), is_with_steps=bool(has_other_steps))
    yield from _fewer_parameters(before, after)


def _is_waited_for(assertion: str, source: str) -> bool:
    """Return True if a loop of the test ends only when what was asserted is so."""
    left, _, right = assertion.partition(" == ")
    return bool(right) and f"while {left} != {right}" in source


def _hands_on(before: TestedCase, after: TestedCase) -> bool:
    """Return True if a test leaves its assertions to a helper now that it did not call before."""
    called = set(re.findall(_HELPER, after.source)) - set(re.findall(_HELPER, before.source))
    return bool(called)


def _steps(case: TestedCase) -> Counter[str]:
    """The lines of a test that do something and assert nothing."""
    return Counter(
        line.strip()
        for line in case.source.split("\n")
        if bounded(_STEP).match(line) and not bounded(r"assert|expect|raises|warns").search(line)
    )


def _fewer_parameters(before: TestedCase, after: TestedCase) -> Iterator[Lost]:
    """Cases that a test was run with, where it got no new ones and still has some."""
    gone = list((Counter(before.parameters) - Counter(after.parameters)).elements())
    new = Counter(after.parameters) - Counter(before.parameters)
    if gone and not new and after.parameters:
        count = "a case" if len(gone) == 1 else f"{len(gone)} cases"
        text = f'"{after.name}" is no longer run with {count}: {_short(gone[0])}'
        yield Lost(text, Loss.FEWER, gone[0])


def _wider(name: str, old: Assertion, now: Assertion) -> Iterator[Lost]:
    """The tolerances that grew, and one where the value had to be exact."""
    before = dict(old.tolerance)
    for key, became in now.tolerance:
        was = before.get(key)
        if was is not None and became > was:
            text = f'"{name}" allows {key}={abs(became):g} now, and allowed {abs(was):g}'
            yield Lost(text, Loss.WIDER, old.text, line=now.line)
    is_other_kind = list(before) == ["abs"] and [key for key, _ in now.tolerance] == ["rel"]
    if is_other_kind and now.tolerance[0][1] >= _COARSE and now.expected == old.expected:
        text = f'"{name}" allows an error of {now.tolerance[0][1]:.0%} now, and allowed {before["abs"]:g}'
        yield Lost(text, Loss.WIDER, old.text, line=now.line)
    if now.tolerance and not old.tolerance and old.strength == EXACT and old.expected:
        text = f'"{name}" asked for {_short(old.text)} exactly, and now nearly'
        yield Lost(text, Loss.WIDER, old.text, is_a_note=True, line=now.line)


def _pairs(gone: Sequence[Assertion], new: Sequence[Assertion]) -> Iterator[tuple[Assertion, Assertion]]:
    """Old assertions, and what asserts most about the same subject now."""
    for old in gone:
        about = [now for now in new if old.subject and _is_about(old, now)]
        if about:
            yield old, max(about, key=lambda now: now.strength)
        elif len(gone) == len(new) == 1 and _matcher(old) == _matcher(new[0]) and new[0].strength == LOOSE:
            yield old, new[0]


def _matcher(assertion: Assertion) -> str:
    """How an assertion asks, without what it asks about: ``toHaveBeenCalledWith``, ``assert_called_with``."""
    return next(iter(re.findall(_ASKING, assertion.text)), assertion.text)


def _is_about(old: Assertion, now: Assertion) -> bool:
    """Return True if two assertions have one subject, also where that is now the distance from a value."""
    return (
        old.subject == now.subject
        or _asks_part_of(old, now)
        or bool(old.tolerance and now.tolerance and old.subject in now.subject)
    )


def _asks_part_of(old: Assertion, now: Assertion) -> bool:
    """Return True if an assertion asks about a value without its order, its doubles or its content any more."""
    return bool(old.subject) and any(
        now.subject == f"{before}{old.subject}{behind}" for before, behind in _PARTS
    )


def _is_about_none(old: Assertion, others: Sequence[Assertion]) -> bool:
    """Return True if an assertion that something is there at all is implied by one that says what it is."""
    return old.strength == LOOSE and any(old.subject and old.subject in now.subject for now in others)


def _is_moved(old: Assertion, others: Sequence[Assertion]) -> bool:
    """Return True if one of some assertions asks at least as much of what an old one was about.

    It compares the whole of which that is a part, or a part or a record of it, with the same value.
    """
    literals = re.findall(LITERAL, _values_of(old))
    return bool(literals) and any(
        other.strength >= max(old.strength, PARTIAL)
        and other.subject != old.subject
        and (_is_part(old.subject, other.subject) or _is_part(other.subject, old.subject))
        and set(literals) <= set(re.findall(LITERAL, _values_of(other)))
        for other in others
    )


def _is_part(inner: str, outer: str) -> bool:
    """Return True if a subject is reached from another: ``got['name']`` from ``got``."""
    return bool(outer) and inner.startswith(outer) and inner[len(outer) :].startswith((".", "[", "?."))


def _values_of(assertion: Assertion) -> str:
    """What an assertion says apart from what it is about."""
    return assertion.expected or assertion.text.replace(assertion.subject, "", 1)


def other_literal(before: TestedCase, after: TestedCase) -> OtherLiteral | None:
    """The first expected value that changed, in a test whose inputs and steps are as before."""
    if before.source == after.source:
        return _other_in_row(before, after)
    if re.sub(LITERAL, "0", before.source) != re.sub(LITERAL, "0", after.source):
        return None
    gone = list((Counter(before.assertions) - Counter(after.assertions)).elements())
    new = list((Counter(after.assertions) - Counter(before.assertions)).elements())
    if not gone and not new:
        return _other_in_row(before, after)
    pairs = [(o, n) for o, n in _pairs(gone, new) if o.expected and n.expected and o.expected != n.expected]
    texts = [_bare(n.expected) for _, n in pairs]
    literals = zip(re.findall(LITERAL, before.source), re.findall(LITERAL, after.source), strict=True)
    others = [now for was, now in literals if was != now]
    if not pairs or not all(any(_bare(one) in text for text in texts) for one in others):
        return None
    return OtherLiteral(pairs[0][0].expected, pairs[0][1].expected)


def _other_in_row(before: TestedCase, after: TestedCase) -> OtherLiteral | None:
    """The first case of which only the last value is another: what is expected stands there."""
    was = dict(filter(None, map(_row, before.parameters)))
    pairs = ((was[key], value) for key, value in filter(None, map(_row, after.parameters)) if key in was)
    return next((OtherLiteral(old, new) for old, new in pairs if old != new), None)


def _row(parameters: str) -> tuple[str, str] | None:
    """All values of a case but the last, and the last, where it is written out."""
    try:
        values = ast.parse(parameters.rpartition("' = ")[2].strip(), mode="eval").body
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if not isinstance(values, (ast.Tuple, ast.List)) or len(values.elts) < _SHORTEST_ROW:
        return None
    *given, last = values.elts
    is_word = isinstance(last, ast.Name) and last.id in ("true", "false", "null", "undefined")
    if not is_word and not is_written_out(last):
        return None
    return ", ".join(map(ast.unparse, given)), ast.unparse(last)


def _bare(literal: str) -> str:
    return re.sub(r"[\"'`\\]", "", literal)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 70 else f"{text[:67]}..."
