"""A number counts as an amount only with a unit of the same size."""

from __future__ import annotations

import pytest

from wardround.analyses.criterion.amounts import has_other_units

DAYS = ("90", "7776000", "7776000000", "129600", "2160")
MEGABYTES = ("5", str(5 * 1024**2), "5000000")


@pytest.mark.parametrize(
    "code",
    [
        "timedelta(minutes=90)",
        "expiresin: '90h'",
        "interval '90 minutes'",
        "lifetime_s = 90",
        "ttl = 90 * 60",
    ],
)
def test_the_same_number_with_another_unit_contradicts(code: str) -> None:
    assert has_other_units(DAYS, "day", code)


@pytest.mark.parametrize(
    "code",
    [
        "timedelta(days=90)",
        "timedelta(hours=2160)",
        "ttl = 90 * 24 * 3600",
        "lifetime = 90",
        "days = 90 * factor",
    ],
)
def test_the_amount_and_a_number_without_a_unit_do_not(code: str) -> None:
    assert not has_other_units(DAYS, "day", code)


def test_a_size_is_compared_as_a_product() -> None:
    assert has_other_units(MEGABYTES, "mb", "limit = 5 * 1024")
    assert has_other_units(MEGABYTES, "mb", "limit_kb = 5")
    assert not has_other_units(MEGABYTES, "mb", "limit = 5 * 1024 * 1024")


def test_a_unit_of_another_kind_is_not_a_contradiction() -> None:
    assert not has_other_units(MEGABYTES, "mb", "timeout_ms = 5")
