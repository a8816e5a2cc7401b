"""The sample of findings and the queue of a reader."""

from __future__ import annotations

import datetime
from collections import Counter

from wardround.rules.judgements import Judgement, judgement_of
from wardround_lab.evaluation.judging.hits import Hit
from wardround_lab.evaluation.judging.queue import is_read_twice, queue
from wardround_lab.evaluation.judging.sample import Limits, sample

DAY = datetime.date(2026, 5, 4)


def hit(rule: str, number: int, repository: str = "team/shop") -> Hit:
    return Hit(repository, "a" * 40, "src/a.py", number, rule, 1, number, "text", "python", "warn", "new")


def judged(one: Hit, reader: str, verdict: str = "true", reason: str = "trivial") -> Judgement:
    return judgement_of(one.key, verdict, reason, reader, DAY)


COMMON = [hit("ruff/B006", n, f"team/r{n % 5}") for n in range(1, 101)]
RARE = [hit("python/PY001", n) for n in range(1, 4)]


def test_rare_rules_come_first_and_no_rule_or_repository_dominates() -> None:
    drawn = sample([*COMMON, *RARE], (), Limits(per_rule=40, per_repository=6))
    assert [item.rule for item in drawn[:3]] == ["python/PY001"] * 3
    assert Counter(item.repository for item in drawn[3:]) == {f"team/r{n}": 6 for n in range(5)}
    assert len(sample(COMMON, (), Limits(per_rule=40))) == 40


def test_a_rule_is_spread_over_the_repositories() -> None:
    drawn = sample(COMMON, (), Limits(per_rule=5))
    assert len({item.repository for item in drawn}) == 5


def test_the_same_seed_draws_the_same_sample_in_any_order_of_findings() -> None:
    limits = Limits(per_rule=10)
    assert sample(COMMON, (), limits) == sample(COMMON[::-1], (), limits)
    assert sample(COMMON, (), limits, seed=2) != sample(COMMON, (), limits)


def test_judged_findings_stay_in_the_sample_when_more_commits_are_reviewed() -> None:
    limits = Limits(per_rule=4)
    first = sample(COMMON[:20], (), limits)
    assert set(first) <= set(sample(COMMON, {item.key for item in first}, limits))
    assert len(sample(COMMON, {item.key for item in first}, limits)) == 4


def test_a_reader_meets_no_finding_again() -> None:
    readings = [judged(item, "ana") for item in COMMON[:90]]
    assert queue(COMMON, readings, "ana") == COMMON[90:]


def test_about_every_fifth_finding_is_for_a_second_reader_too() -> None:
    readings = [judged(item, "ana") for item in COMMON]
    again = queue(COMMON, readings, "bo")
    assert again == [item for item in COMMON if is_read_twice(item)]
    assert 10 <= len(again) <= 30
    assert queue(COMMON, readings, "bo", every=1) == COMMON


def test_a_disagreement_goes_to_a_third_reader_and_to_no_fourth() -> None:
    item = COMMON[0]
    readings = [judged(item, "ana"), judged(item, "bo", "wrong", "misread")]
    assert queue([item], readings, "cem") == [item]
    assert queue([item], [*readings, judged(item, "cem")], "dan") == []
    assert queue([item], [readings[0], judged(item, "bo")], "cem") == []
