"""The comparison of two configurations by their common instances."""

from __future__ import annotations

import pytest

from tests.lab.experiments.comparison.stored_results import results
from wardround.errors import UsageError
from wardround_lab.experiments.comparison.reward_differences import reward_differences

LOW, HIGH = [0.1, 0.2, 0.3, 0.4] * 5, [0.5, 0.6, 0.7, 0.8] * 5


def test_the_better_configuration_is_named_by_the_direction_of_the_reward() -> None:
    first = results({"tokens": 4000}, {"lines": HIGH, "seconds": HIGH, "other": HIGH})
    second = results({"tokens": 8000}, {"lines": LOW, "seconds": LOW, "other": LOW})

    found = reward_differences(first, second, {"lines": True, "seconds": False})

    assert [(item.reward, item.verdict) for item in found] == [
        ("lines", "A is better"),
        ("seconds", "B is better"),
        ("other", "A is larger"),
    ]


def test_noise_is_no_verdict() -> None:
    first, second = results({}, {"lines": LOW}), results({}, {"lines": LOW[::-1]})

    (found,) = reward_differences(first, second, {"lines": True})

    assert found.verdict == "no difference shown"


def test_only_common_instances_are_compared() -> None:
    first, second = results({}, {"lines": LOW}), results({}, {"lines": HIGH}, first=10)

    (found,) = reward_differences(first, second, {"lines": True})

    assert found.difference.pairs == 10


def test_runs_without_a_common_instance_are_rejected() -> None:
    with pytest.raises(UsageError, match="no instance in common"):
        reward_differences(results({}, {"lines": LOW}), results({}, {"lines": LOW}, first=50), {})


def test_repositories_give_wider_intervals_than_instances() -> None:
    values = [0.2, 0.5, 0.9] * 7
    first, second = results({}, {"lines": values}), results({}, {"lines": [0.1] * 21})

    (by_instance,) = reward_differences(first, second, {})
    (by_repository,) = reward_differences(first, second, {}, by_repository=True)

    assert by_repository.difference.interval.low < by_instance.difference.interval.low
