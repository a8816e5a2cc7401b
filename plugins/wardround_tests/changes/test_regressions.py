"""Losses of one test between two versions."""

from __future__ import annotations

import ast
import enum
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from wardround.languages.python.tree import unparse
from wardround.storage.regex_cache import bounded_pattern
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
"""Wrappers that weaken the assertion of a value: text before and after it."""
_SHORTEST_ROW = 2
_COARSE = 0.01
"""Relative error from which a tolerance accepts clearly different values."""


class Loss(enum.Enum):
    """Kind of loss."""

    SKIPPED = "the test is skipped or may fail"
    LOOSER = "an assertion is weaker"
    WIDER = "a tolerance is larger"
    GONE = "an assertion is removed"
    FEWER = "the test has fewer parameter sets"


class TestLoss(msgspec.Struct, frozen=True):
    """One loss of a test.

    Attributes:
        assertion: the removed one; empty if the test was skipped.
        is_telling: True if the lost assertion checked more than presence.
        is_a_note: likely intended, whatever else the change does.
        is_with_steps: the steps of the test changed as well, so its subject may have changed.
        line: line number of the replacing assertion; 0 if there is none.
    """

    message: str
    kind: Loss
    assertion: str = ""
    is_telling: bool = True
    is_a_note: bool = False
    is_with_steps: bool = False
    line: int = 0


class OtherLiteral(msgspec.Struct, frozen=True):
    """An expected value that changed while the rest of its test did not."""

    was: str
    now: str


def losses(before: TestedCase, after: TestedCase, elsewhere: Counter[str]) -> Iterator[TestLoss]:
    """Yield the losses of a test, most significant first.

    Args:
        elsewhere: change in the number of occurrences of each assertion in other tests of the file.
    """
    yield from _skip_losses(before, after)
    if before.source == after.source and before.parameters == after.parameters:
        return
    removed = [old for old in _only_in(before, after) if not _is_no_loss(old, after.assertions)]
    new = _only_in(after, before)
    for old, current in _pairs(removed, new):
        yield from _weaker(after.name, old, current)
        yield from _wider(after.name, old, current)
    if not new:
        missing = [old for old in removed if elsewhere[old.text] < 0 and not _is_implied(old, after)]
        yield from _unreplaced_assertions(missing, before, after)
    yield from _fewer_parameters(before, after)


def _unreplaced_assertions(
    missing: Sequence[Assertion], before: TestedCase, after: TestedCase
) -> Iterator[TestLoss]:
    if missing and not after.skip and not _delegates_assertions(before, after):
        yield _removed_assertions(missing, before, after)


def _is_no_loss(old: Assertion, others: Sequence[Assertion]) -> bool:
    """Return True if an assertion concerns a deprecation, or another one checks as much."""
    return "eprecat" in old.text or _is_moved(old, others)


def _only_in(case: TestedCase, other: TestedCase) -> list[Assertion]:
    """Return the assertions that one version contains more often than the other."""
    return list((Counter(case.assertions) - Counter(other.assertions)).elements())


def _skip_losses(before: TestedCase, after: TestedCase) -> Iterator[TestLoss]:
    if after.skip and not before.skip and not re.search(_REFERENCE, after.skip):
        has_reason = bounded_pattern(r"reason|[\"'].*\w.*[\"']").search(after.skip) is not None
        text = f'"{after.name}" is now skipped; fix the test or state the reason'
        yield TestLoss(text, Loss.SKIPPED, is_a_note=has_reason)


def _weaker(name: str, old: Assertion, current: Assertion) -> Iterator[TestLoss]:
    """Yield the loss of an assertion that was replaced by a weaker one."""
    is_presence_only = current.strength == LOOSE and old.strength > LOOSE
    if is_presence_only or _ignores_part_of(old, current) or _is_weaker_value(old, current):
        text = f'"{name}" asserts only {_short(current.text)} instead of {_short(old.text)}'
        yield TestLoss(text, Loss.LOOSER, old.text, is_a_note=not is_presence_only, line=current.line)


def _is_weaker_value(old: Assertion, current: Assertion) -> bool:
    has_value = bool(old.expected) or current.subject in ("raises", "assertRaises")
    return current.strength < old.strength and has_value


def _is_implied(assertion: Assertion, after: TestedCase) -> bool:
    """Return True if the new version still verifies a removed assertion in another way."""
    return _is_about_none(assertion, after.assertions) or _is_awaited(assertion.text, after.source)


def _removed_assertions(missing: Sequence[Assertion], before: TestedCase, after: TestedCase) -> TestLoss:
    count = "an assertion" if len(missing) == 1 else f"{len(missing)} assertions"
    significant = [a for a in missing if a.strength > LOOSE]
    first = (significant or missing)[0]
    text = f'"{after.name}" no longer has {count}: {_short(first.text)}'
    has_other_steps = bool(_steps(before) - _steps(after))
    return TestLoss(text, Loss.GONE, first.text, bool(significant), is_with_steps=has_other_steps)


def _is_awaited(assertion: str, source: str) -> bool:
    """Return True if a loop of the test ends only when the asserted condition holds."""
    left, _, right = assertion.partition(" == ")
    return bool(right) and f"while {left} != {right}" in source


def _delegates_assertions(before: TestedCase, after: TestedCase) -> bool:
    """Return True if a test now calls an asserting helper that it did not call before."""
    called = set(re.findall(_HELPER, after.source)) - set(re.findall(_HELPER, before.source))
    return bool(called)


def _steps(case: TestedCase) -> Counter[str]:
    """Count the lines of a test that act and do not assert."""
    return Counter(
        line.strip()
        for line in case.source.split("\n")
        if bounded_pattern(_STEP).match(line)
        and not bounded_pattern(r"assert|expect|raises|warns").search(line)
    )


def _fewer_parameters(before: TestedCase, after: TestedCase) -> Iterator[TestLoss]:
    """Yield the removed parameter sets of a test that has no new ones and still has some."""
    removed = list((Counter(before.parameters) - Counter(after.parameters)).elements())
    new = Counter(after.parameters) - Counter(before.parameters)
    if removed and not new and after.parameters:
        count = "a parameter set" if len(removed) == 1 else f"{len(removed)} parameter sets"
        text = f'"{after.name}" no longer runs with {count}: {_short(removed[0])}'
        yield TestLoss(text, Loss.FEWER, removed[0])


def _wider(name: str, old: Assertion, current: Assertion) -> Iterator[TestLoss]:
    """Yield the tolerances that grew, and new ones where the value had to be exact."""
    before = dict(old.tolerance)
    for key, became in current.tolerance:
        previous = before.get(key)
        if previous is not None and became > previous:
            text = f'"{name}" allows {key}={abs(became):g} instead of {abs(previous):g}'
            yield TestLoss(text, Loss.WIDER, old.text, line=current.line)
    if _is_coarse_relative(old, current):
        error = f"{current.tolerance[0][1]:.0%} relative error"
        text = f'"{name}" allows {error} instead of {before["abs"]:g} absolute'
        yield TestLoss(text, Loss.WIDER, old.text, line=current.line)
    if current.tolerance and not old.tolerance and old.strength == EXACT and old.expected:
        text = f'"{name}" compares approximately instead of exactly: {_short(old.text)}'
        yield TestLoss(text, Loss.WIDER, old.text, is_a_note=True, line=current.line)


def _is_coarse_relative(old: Assertion, current: Assertion) -> bool:
    """Return True if a coarse relative tolerance replaces an absolute one of the same value."""
    keys = [[key for key, _ in assertion.tolerance] for assertion in (old, current)]
    is_relative = keys[1] == ["rel"] and [*dict(old.tolerance)] == ["abs"]
    return is_relative and current.tolerance[0][1] >= _COARSE and current.expected == old.expected


def _pairs(removed: Sequence[Assertion], new: Sequence[Assertion]) -> Iterator[tuple[Assertion, Assertion]]:
    """Yield each removed assertion with the strongest new one on the same subject."""
    for old in removed:
        related = [current for current in new if old.subject and _is_about(old, current)]
        if related:
            yield old, max(related, key=lambda current: current.strength)
        elif len(removed) == len(new) == 1 and _is_loose_form(old, new[0]):
            yield old, new[0]


def _is_loose_form(old: Assertion, current: Assertion) -> bool:
    return current.strength == LOOSE and _matcher(old) == _matcher(current)


def _matcher(assertion: Assertion) -> str:
    """Return the matcher of an assertion: ``toHaveBeenCalledWith``, ``assert_called_with``."""
    return next(iter(re.findall(_ASKING, assertion.text)), assertion.text)


def _is_about(old: Assertion, current: Assertion) -> bool:
    """Return True if two assertions have one subject, also as the distance from a value."""
    return (
        old.subject == current.subject
        or _ignores_part_of(old, current)
        or bool(old.tolerance and current.tolerance and old.subject in current.subject)
    )


def _ignores_part_of(old: Assertion, current: Assertion) -> bool:
    """Return True if an assertion ignores the order, duplicates or content of the old subject."""
    return bool(old.subject) and any(
        current.subject == f"{before}{old.subject}{behind}" for before, behind in _PARTS
    )


def _is_about_none(old: Assertion, others: Sequence[Assertion]) -> bool:
    """Return True if an assertion of presence is implied by one that checks the value."""
    return old.strength == LOOSE and any(old.subject and old.subject in current.subject for current in others)


def _is_moved(old: Assertion, others: Sequence[Assertion]) -> bool:
    """Return True if another assertion checks at least as much of the subject of an old one.

    It compares an object that contains the subject, or a part of it, with the same value.
    """
    literals = re.findall(LITERAL, _values_of(old))
    return bool(literals) and any(
        other.strength >= max(old.strength, PARTIAL)
        and other.subject != old.subject
        and (_is_nested_subject(old.subject, other.subject) or _is_nested_subject(other.subject, old.subject))
        and set(literals) <= set(re.findall(LITERAL, _values_of(other)))
        for other in others
    )


def _is_nested_subject(inner: str, outer: str) -> bool:
    """Return True if a subject is reached from another: ``got['name']`` from ``got``."""
    return bool(outer) and inner.startswith(outer) and inner[len(outer) :].startswith((".", "[", "?."))


def _values_of(assertion: Assertion) -> str:
    """Return the text of an assertion without its subject."""
    return assertion.expected or assertion.text.replace(assertion.subject, "", 1)


def other_literal(before: TestedCase, after: TestedCase) -> OtherLiteral | None:
    """Return the first expected value that changed, in a test with unchanged inputs and steps."""
    if before.source == after.source:
        return _other_in_row(before, after)
    if re.sub(LITERAL, "0", before.source) != re.sub(LITERAL, "0", after.source):
        return None
    removed, new = _only_in(before, after), _only_in(after, before)
    if not removed and not new:
        return _other_in_row(before, after)
    values = list(_changed_values(removed, new))
    if not values or not _are_in(_changed_literals(before, after), [current for _was, current in values]):
        return None
    return OtherLiteral(*values[0])


def _changed_values(removed: Sequence[Assertion], new: Sequence[Assertion]) -> Iterator[tuple[str, str]]:
    """Yield the expected values of assertions before and after, where they differ."""
    for old, current in _pairs(removed, new):
        if old.expected and current.expected and old.expected != current.expected:
            yield old.expected, current.expected


def _changed_literals(before: TestedCase, after: TestedCase) -> list[str]:
    """Return the new literals of two versions that differ in literals only."""
    literals = zip(re.findall(LITERAL, before.source), re.findall(LITERAL, after.source), strict=True)
    return [current for previous, current in literals if previous != current]


def _are_in(literals: Sequence[str], values: Sequence[str]) -> bool:
    """Return True if each literal is part of one of the values."""
    texts = list(map(_bare, values))
    return all(any(_bare(literal) in text for text in texts) for literal in literals)


def _other_in_row(before: TestedCase, after: TestedCase) -> OtherLiteral | None:
    """Return the first parameter set in which only the last value changed, which is the expected one."""
    previous = dict(filter(None, map(_row, before.parameters)))
    pairs = (
        (previous[key], value) for key, value in filter(None, map(_row, after.parameters)) if key in previous
    )
    return next((OtherLiteral(old, new) for old, new in pairs if old != new), None)


def _row(parameters: str) -> tuple[str, str] | None:
    """Return the values of a parameter set: all but the last, and the last if it is a literal."""
    try:
        values = ast.parse(parameters.rpartition("' = ")[2].strip(), mode="eval").body
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if not isinstance(values, (ast.Tuple, ast.List)) or len(values.elts) < _SHORTEST_ROW:
        return None
    *inputs, last = values.elts
    is_word = isinstance(last, ast.Name) and last.id in ("true", "false", "null", "undefined")
    if not is_word and not is_written_out(last):
        return None
    return ", ".join(map(unparse, inputs)), unparse(last)


def _bare(literal: str) -> str:
    return re.sub(r"[\"'`\\]", "", literal)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 70 else f"{text[:67]}..."
