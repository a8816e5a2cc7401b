"""The limits of a comparison follow the configured elapsed time of a run."""

from __future__ import annotations

from wardround.workflows.behaviour.limits import DEFAULT_LIMITS, limits_within


def test_a_configured_time_below_the_defaults_is_the_limit_of_each_step() -> None:
    found = limits_within(30)
    assert (found.tests_s, found.replay_s) == (30, 30)


def test_a_longer_time_leaves_the_defaults() -> None:
    assert limits_within(3_600) == DEFAULT_LIMITS
