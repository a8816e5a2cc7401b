"""Criteria without evidence: not met if the change lacks them, not checkable if related code is there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from wardround.analyses.criterion.added_change import PROGRAM, AddedChange
from wardround.analyses.criterion.added_code import AddedCode, LiveLine, as_line
from wardround.analyses.criterion.code_words import code_stems
from wardround.analyses.criterion.demand import METHODS, Demand, Literal, covered_words, stems
from wardround.analyses.criterion.literal_search import (
    identifying,
    is_in_prose,
    is_live,
    lines_with,
    other_values,
    values,
)
from wardround.analyses.criterion.results import Judgement, not_checkable, not_met
from wardround.analyses.criterion.stating_tests import states_words

_UNRELATED = 0.34
_STUFFED = 0.6
"""A criterion is only mentioned if live code contains less than the first share of its words and texts more
than the second.
"""
_NEAR = 3
"""Number of lines around a number that show what it is about."""


def judge_without_evidence(demand: Demand, change: AddedChange) -> Judgement:
    """Judge a criterion that no test, no statement and no literal shows."""
    for reason in _reasons(demand, change):
        return not_met(reason)
    return not_checkable("related code is added, but no added test or literal shows it")


def _reasons(demand: Demand, change: AddedChange) -> Iterator[str]:
    """Yield the reasons why the change does not contain what a criterion demands, the most certain first."""
    names = [literal for literal in identifying(demand) if literal.text not in METHODS]
    yield from _missing_names(names, change)
    for literal in demand.literals:
        if _is_idle(literal, change):
            yield f"{literal.text!r} is only in text or code without effect"
    yield from _other_values(demand, change)
    stating = [test for test in change.tests if states_words(demand.words, test)]
    if any(not test.asserts for test in stating):
        yield "the added test that states it asserts nothing"
    is_tested = any(test.asserts for test in stating)
    if not names:
        yield from _unrelated_words(demand.words, change, is_tested=is_tested)


def _missing_names(names: list[Literal], change: AddedChange) -> Iterator[str]:
    """Yield a reason if no name of a criterion is in the change."""
    if not names or any(_is_known(name, change) for name in names):
        return
    where = "only outside of live code" if is_in_prose(names[0], change.inert) else "not in the added code"
    yield f"{names[0].text!r} is {where}"


def _unrelated_words(words: frozenset[str], change: AddedChange, *, is_tested: bool) -> Iterator[str]:
    """Yield the reasons why added code is not about the words of a criterion without names."""
    live = _share(words, change.stems) if words else 1.0
    is_mentioned = bool(words) and _share(words, stems(change.inert)) >= _STUFFED
    if live < _UNRELATED and is_mentioned and not is_tested:
        yield "only comments, messages or unused code mention it"
    if live == 0 and len(words) > 1:
        yield "nothing in the added code is about it"


def _share(words: frozenset[str], available: frozenset[str]) -> float:
    return len(covered_words(words, available)) / len(words)


def _is_idle(literal: Literal, change: AddedChange) -> bool:
    """Return True for a literal in comments, dead code or unused functions and nowhere else."""
    uses = [(line, code) for code in change.implementation for line in lines_with(literal, code.effective)]
    if not uses:
        return bool(change.inert) and bool(lines_with(literal, (as_line(change.inert),)))
    return all(code.language in PROGRAM and not change.is_reached(line, code) for line, code in uses)


def _is_known(literal: Literal, change: AddedChange) -> bool:
    """Return True for a literal in live code, in removed lines, or in the name of a file or symbol."""
    return any(_has_literal(literal, code) for code in change.implementation)


def _has_literal(literal: Literal, code: AddedCode) -> bool:
    if lines_with(literal, code.effective):
        return True
    source = code.source
    return is_in_prose(literal, "\n".join((source.path, *source.symbols, *source.removed)))


def _other_values(demand: Demand, change: AddedChange) -> Iterator[str]:
    """Yield a reason for each line about a criterion that has another number than it."""
    numbers = [literal for literal in values(demand) if not is_live(literal, change.implementation)]
    for number in numbers:
        for code in change.implementation:
            for line in other_values(number, code.effective):
                if _is_about(demand, line, code):
                    yield f"line {line.number} of {code.source.path} has another value than {number.text}"


def _is_about(demand: Demand, line: LiveLine, code: AddedCode) -> bool:
    """Return True if a line contains a name of a criterion, or the lines near it contain half of its
    words.
    """
    if any(lines_with(name, (line,)) for name in identifying(demand)):
        return True
    near = len(covered_words(demand.words, _stems_near(line, code)))
    return near * 2 >= max(2, len(demand.words))


def _stems_near(line: LiveLine, code: AddedCode) -> frozenset[str]:
    """Return the stems of the lines near a line."""
    at = bisect_left(code.effective, line.number, key=lambda other: other.number)
    around = code.effective[max(0, at - _NEAR) : at + _NEAR + 1]
    near = [other.original for other in around if abs(other.number - line.number) <= _NEAR]
    return code_stems("\n".join(near))
