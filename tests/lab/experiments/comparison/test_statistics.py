"""Intervals and paired tests over instances."""

from __future__ import annotations

import random

import pytest

from wardround_lab.experiments.comparison.statistics import holm_p_values, mean_interval, paired_difference

NAMES = [f"instance-{number}" for number in range(40)]


def noise(seed: int) -> list[float]:
    rng = random.Random(seed)
    return [rng.gauss(0.0, 1.0) for _ in NAMES]


def test_the_interval_of_a_mean_holds_the_mean_and_narrows_with_more_instances() -> None:
    few, many = noise(1)[:10], noise(1) * 4

    narrow = mean_interval(many, [f"{number}" for number in range(len(many))])
    wide = mean_interval(few, NAMES[:10])

    assert wide.low < wide.value < wide.high
    assert narrow.high - narrow.low < wide.high - wide.low


def test_a_constant_gain_in_noise_is_found_by_pairs() -> None:
    base = noise(2)
    better = [value + 0.3 for value in base]

    found = paired_difference(better, base, NAMES)

    assert found.interval.value == pytest.approx(0.3)
    assert found.interval.low > 0
    assert found.p < 0.01
    assert found.pairs == len(NAMES)


def test_independent_noise_is_no_difference() -> None:
    found = paired_difference(noise(3), noise(4), NAMES)

    assert found.p > 0.05
    assert found.interval.low < 0 < found.interval.high


def test_equal_values_have_no_difference() -> None:
    found = paired_difference(noise(3), noise(3), NAMES)

    assert found.p == 1.0
    assert (found.interval.low, found.interval.high) == (0.0, 0.0)


def test_a_few_pairs_are_tested_exactly() -> None:
    """Three pairs have eight assignments of signs, of which two are as extreme."""
    assert paired_difference([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], NAMES[:3]).p == pytest.approx(0.25)


def test_one_pair_proves_nothing() -> None:
    assert paired_difference([1.0], [0.0], NAMES[:1]).p == 1.0


def test_repositories_are_resampled_as_groups() -> None:
    values = [1.0] * 20 + [0.0] * 20
    repositories = ["a/a"] * 20 + ["b/b"] * 20

    by_instance, by_repository = mean_interval(values, NAMES), mean_interval(values, repositories)

    assert by_repository.high - by_repository.low > by_instance.high - by_instance.low


def test_p_values_are_adjusted_for_their_number() -> None:
    assert holm_p_values([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm_p_values([0.9, 0.8]) == [1.0, 1.0]
    assert holm_p_values([]) == []
