"""Mutations of dates, times and durations."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from random import Random
from typing import Any

import pytest

from wardround.workflows.wardround_in_sandbox.behaviour.moments import changed_moment
from wardround.workflows.wardround_in_sandbox.behaviour.mutation import Mutation


def mutated(value: Any) -> set[Any]:
    found = set()
    for seed in range(200):
        arguments = {"value": value}
        if Mutation(Random(seed), [], {}).mutate(arguments, ["value"], ""):
            found.add(arguments["value"])
    return found


def test_a_time_without_a_zone_gets_one() -> None:
    zones = {item.tzinfo for item in mutated(datetime(2024, 2, 28, 12))}

    assert {None, *(timezone(timedelta(hours=item)) for item in (0, 14, -12))} <= zones


def test_the_moment_of_the_frozen_clock_is_tried_in_each_zone() -> None:
    zones = {item.tzinfo for item in mutated(datetime(2024, 2, 28, 12)) if item.year == 2026}

    assert len(zones) == 4


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (date(2024, 2, 28), {date(2024, 2, 27), date(2024, 2, 29), date(2024, 2, 1), date(2025, 2, 28)}),
        (time(12), {time(0), time(23, 59, 59)}),
        (timedelta(days=1), {timedelta(0), timedelta(days=-1), timedelta(days=2)}),
    ],
)
def test_a_value_near_it_is_tried(value: Any, expected: set[Any]) -> None:
    assert expected <= mutated(value)


def test_a_day_out_of_range_is_not_tried() -> None:
    with pytest.raises(OverflowError):
        [changed_moment(date.max, Random(seed)) for seed in range(50)]
