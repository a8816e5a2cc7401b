"""The level of a rule that follows from readings of its findings."""

from __future__ import annotations

from itertools import product

import msgspec
import pytest

from wardround.findings import Plane, Severity
from wardround.rules.earned_level import (
    PRESENT,
    Level,
    consequence,
    following_level,
    is_enough,
    present_level,
)
from wardround.rules.maturity import Maturity
from wardround.rules.model import Rule
from wardround.rules.reading_counts import ReadingCounts

RULE = Rule("acme/A1", "a-name", Plane.SEMANTIC, Severity.ERROR, "a-class", "why")


def rule_at(level: Level, declared: Severity = Severity.ERROR) -> Rule:
    if level is Level.PREVIEW:
        return msgspec.structs.replace(RULE, maturity=Maturity.PREVIEW, severity=declared)
    return msgspec.structs.replace(RULE, severity=Severity.from_label(level))


def follows(level: Level, worth: int = 0, true: int = 0, wrong: int = 0, unclear: int = 0) -> Level:
    counts = ReadingCounts(5, worth=worth, true=true, wrong=wrong, unclear=unclear)
    return following_level(rule_at(level), counts)


@pytest.mark.parametrize(
    ("worth", "true", "wrong", "level"),
    [
        (5, 5, 0, Level.ERROR),
        (12, 6, 2, Level.WARN),
        (3, 7, 0, Level.INFO),
        (12, 5, 3, Level.INFO),
        (5, 12, 3, Level.PREVIEW),
        (12, 3, 5, Level.PREVIEW),
        (0, 0, 9, Level.ERROR),
    ],
)
def test_a_rule_at_error_keeps_what_its_readings_allow(
    worth: int, true: int, wrong: int, level: Level
) -> None:
    assert follows(Level.ERROR, worth, true, wrong) is level


@pytest.mark.parametrize(("read", "wrong"), [(10, 1), (20, 2), (40, 4)])
def test_a_rule_leaves_its_level_with_the_next_wrong_finding(read: int, wrong: int) -> None:
    right = read - wrong
    assert follows(Level.WARN, worth=right, wrong=wrong) is Level.WARN
    assert follows(Level.INFO, true=right, wrong=wrong) is Level.INFO
    assert follows(Level.WARN, true=right - 1, wrong=wrong + 1) is Level.PREVIEW
    assert follows(Level.INFO, true=right - 1, wrong=wrong + 1) is Level.PREVIEW


def test_a_shown_rule_that_is_worth_raising_may_be_wrong_in_one_of_five() -> None:
    assert follows(Level.WARN, worth=15, true=3, wrong=4) is Level.INFO
    assert follows(Level.INFO, worth=15, true=2, wrong=5) is Level.PREVIEW
    assert follows(Level.INFO, worth=7, true=9, wrong=4) is Level.PREVIEW
    assert follows(Level.PREVIEW, worth=15, true=3, wrong=4) is Level.PREVIEW


def test_a_preview_rule_needs_eighteen_right_readings_and_may_then_have_few_wrong_ones() -> None:
    assert follows(Level.PREVIEW, worth=17) is Level.PREVIEW
    assert follows(Level.PREVIEW, worth=18) is Level.ERROR
    assert follows(Level.PREVIEW, worth=19, wrong=1) is Level.PREVIEW
    assert follows(Level.PREVIEW, worth=38, wrong=2) is Level.WARN
    assert follows(Level.PREVIEW, worth=2, true=16) is Level.INFO


def test_a_preview_rule_that_is_seldom_worth_raising_stays() -> None:
    assert follows(Level.PREVIEW, worth=1, true=30) is Level.PREVIEW
    assert follows(Level.PREVIEW, worth=4, true=30) is Level.INFO


def test_a_preview_rule_gets_at_most_its_declared_severity() -> None:
    counts = ReadingCounts(5, worth=30)
    assert following_level(rule_at(Level.PREVIEW, Severity.INFO), counts) is Level.INFO


def test_a_severity_is_never_raised() -> None:
    assert follows(Level.INFO, worth=40) is Level.INFO
    assert follows(Level.WARN, worth=40) is Level.WARN


def test_an_unclear_finding_is_neither_right_nor_wrong() -> None:
    assert follows(Level.WARN, worth=8, unclear=2) is Level.INFO


def test_readings_of_fewer_than_three_repositories_change_nothing() -> None:
    counts = ReadingCounts(2, wrong=40)
    assert not is_enough(counts)
    assert following_level(rule_at(Level.ERROR), counts) is Level.ERROR


def test_rules_that_are_off_for_a_reason_or_deprecated_stay_off() -> None:
    counts = ReadingCounts(5, worth=40)
    for changes in ({"disabled_reason": "style"}, {"maturity": Maturity.DEPRECATED}):
        assert following_level(msgspec.structs.replace(RULE, **changes), counts) is Level.PREVIEW


def test_applying_the_rule_a_second_time_changes_nothing() -> None:
    for present, worth, true, wrong in product(Level, range(0, 25, 2), range(0, 25, 2), range(6)):
        counts = ReadingCounts(5, worth=worth, true=true, wrong=wrong)
        rule = rule_at(present)
        level = following_level(rule, counts)
        after = rule if level is present else rule_at(level)
        assert following_level(after, counts) is level, (present, counts)


def test_one_reading_cannot_change_a_level_back() -> None:
    """A level that changes at some count changes back only after more than one further reading."""
    for present, worth, wrong in product((Level.WARN, Level.INFO), range(10, 40), range(8)):
        level = follows(present, worth=worth, wrong=wrong)
        if level is Level.PREVIEW:
            later = ReadingCounts(5, worth=worth + 1, wrong=wrong)
            assert following_level(rule_at(level), later) is Level.PREVIEW
    assert PRESENT == 2


@pytest.mark.parametrize(
    ("level", "counts", "text"),
    [
        (Level.WARN, ReadingCounts(1, worth=3),
         "too few to change its level, which takes 10 readings in 3 repositories"),
        (Level.WARN, ReadingCounts(5, worth=30), "its level follows: warn"),
        (Level.WARN, ReadingCounts(5, wrong=30),
         "they allow preview; it stays at warn, since its damage cannot be undone"),
    ],
)  # fmt: skip
def test_the_consequence_is_one_sentence(level: Level, counts: ReadingCounts, text: str) -> None:
    assert consequence(rule_at(level), counts) == text
    assert present_level(rule_at(level)) is level
