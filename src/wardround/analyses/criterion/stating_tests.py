"""Criteria that an added test states and asserts."""

from __future__ import annotations

from wardround.analyses.criterion.added_change import AddedChange
from wardround.analyses.criterion.added_code import AddedCode, LiveLine
from wardround.analyses.criterion.added_tests import TestCase, exercised_lines
from wardround.analyses.criterion.demand import Demand, Literal, LiteralKind, covered_words, stems
from wardround.analyses.criterion.literal_search import identifying, is_in_prose, is_live, lines_with
from wardround.analyses.criterion.results import (
    CodeSpan,
    Judgement,
    met_judgement,
    not_checkable,
    not_met,
    spans_of,
)
from wardround.analyses.criterion.shares import IMPLEMENTED, PRESENT, has_clauses, has_share, is_unread

_STATED = 0.6
"""Minimum share of the words of a criterion in a test; the title has half of them."""
_MOST_SHOWN = 4
"""The number of exercised lines of code that are evidence, besides those of names."""
_WORDS_ABOUT_TESTS = "test tests unit integration covered cover check checks exist written regression"


def judge_demanded_tests(demand: Demand, change: AddedChange) -> Judgement:
    """Judge a criterion that demands tests: an added test with an assertion is the evidence."""
    words = demand.words - stems(_WORDS_ABOUT_TESTS)
    for test in change.tests:
        if _is_demanded(test, words, demand):
            return met_judgement("an added test states it", [_span(test)])
    if any(not test.asserts and states_words(words, test) for test in change.tests):
        return not_met("the added test asserts nothing")
    if any(covered_words(words, test.stems) for test in change.tests):
        return not_checkable("no added test clearly is the one")
    return not_met("no added test is about it")


def _is_demanded(test: TestCase, words: frozenset[str], demand: Demand) -> bool:
    """Return True if a test states the words, has the literals of a criterion, and asserts no other
    outcome.
    """
    if not test.asserts or _contradicts_demand(demand, test):
        return False
    if test.is_about_presence and not has_share(PRESENT, words, test.body_stems(frozenset())):
        return False
    return states_words(words, test) and all(is_in_prose(literal, test.text) for literal in demand.literals)


def states_words(words: frozenset[str], test: TestCase) -> bool:
    """Return True if the title of a test has half of the words and the test most of them."""
    if not words:
        return True
    in_title = len(covered_words(words, test.title_stems))
    return in_title * 2 >= len(words) and has_share(_STATED, words, test.stems)


def judge_by_test(demand: Demand, change: AddedChange) -> Judgement | None:
    """Judge a criterion by the first test that states it and exercises added code about it; None if there is
    none.
    """
    for test in change.tests:
        if not states_words(demand.words, test) or not _has_literals(demand, test, change):
            continue
        if demand.is_negative and not test.is_negative:
            return not_met(f"the added test {test.title!r} states the opposite")
        if _is_evidence(demand, test) and (spans := _implementation(demand, test, change)):
            return met_judgement(
                "an added test states it and exercises the added code", [_span(test), *spans]
            )
    return None


def _is_evidence(demand: Demand, test: TestCase) -> bool:
    """Return True for a test that asserts the outcome in its title, and nothing other than the criterion."""
    if not test.asserts or (test.title_is_negative and not demand.is_negative):
        return False
    return not _contradicts_demand(demand, test)


def _contradicts_demand(demand: Demand, test: TestCase) -> bool:
    """Return True if the assertions show another outcome, or the negation."""
    if test.contradicts(demand.outcome):
        return True
    if demand.is_negative:
        return test.is_about_presence
    return any(test.denies(lines_with(literal, test.asserts)) for literal in demand.literals)


def _has_literals(demand: Demand, test: TestCase, change: AddedChange) -> bool:
    """Each literal is in the body of the test or in the added code; a name may be in the title instead."""
    return all(_has_literal(literal, test, change) for literal in demand.literals)


def _has_literal(literal: Literal, test: TestCase, change: AddedChange) -> bool:
    if lines_with(literal, test.body):
        return True
    if literal.kind is LiteralKind.NAME and is_in_prose(literal, test.title):
        return True
    return is_live(literal, change.implementation)


def _implementation(demand: Demand, test: TestCase, change: AddedChange) -> list[CodeSpan]:
    """Return the places of the first file that a test exercises and that is about the criterion."""
    for code in change.switched_on(demand):
        if lines := _exercised_lines(demand, test, code):
            return spans_of(code.source.path, (line.number for line in lines))
    return []


def _exercised_lines(demand: Demand, test: TestCase, code: AddedCode) -> list[LiveLine]:
    """Return the lines of a file that a test exercises; none if it is not about the criterion."""
    reached = exercised_lines(test, code)
    if not reached or code.is_stub:
        return []
    names = [literal for literal in identifying(demand) if lines_with(literal, code.effective)]
    if not _is_about(demand, names, code) or not _show_together(demand, test, code):
        return []
    return reached[:_MOST_SHOWN] + [line for name in names for line in lines_with(name, code.effective)[:1]]


def _is_about(demand: Demand, names: list[Literal], code: AddedCode) -> bool:
    """Return True if a file reads the names of a criterion that it contains, or contains half of its
    words.
    """
    if any(is_unread(name, code) for name in names):
        return False
    return bool(names) or has_share(IMPLEMENTED, demand.words, code.stems)


def _show_together(demand: Demand, test: TestCase, code: AddedCode) -> bool:
    """Return True if a test and the code show all proper names and most words of each clause."""
    shown = code.stems_with_path | test.body_stems(code.unread)
    if covered_words(demand.proper, shown) != demand.proper:
        return False
    if not has_clauses(demand, shown | test.title_stems):
        return False
    return not test.is_about_presence or has_share(PRESENT, demand.words, shown)


def _span(test: TestCase) -> CodeSpan:
    numbers = [line.number for line in test.lines]
    return CodeSpan(test.path, min(numbers), max(numbers))
