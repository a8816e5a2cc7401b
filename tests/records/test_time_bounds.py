"""A date is a day of UTC; a time without zone is UTC."""

from __future__ import annotations

import pytest

from wardround.errors import UsageError
from wardround.records import time_bounds


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("2030-01-31", "2030-01-31T00:00:00Z", "2030-02-01T00:00:00Z"),
        ("2030-01-31T12:00", "2030-01-31T12:00:00Z", "2030-01-31T12:00:00Z"),
        ("2030-01-31T12:00:05+02:00", "2030-01-31T10:00:05Z", "2030-01-31T10:00:05Z"),
    ],
)
def test_dates_and_times_are_bounds(text: str, since: str, until: str) -> None:
    assert (time_bounds.since(text), time_bounds.until(text)) == (since, until)


@pytest.mark.parametrize("text", ["soon", "", "2030-02-31", "9999-12-31", "9999-12-31T23:59-05:00"])
def test_anything_else_is_one_sentence(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        time_bounds.until(text)
    assert str(refused.value) == (
        f"--until {text!r} is not a time; give ISO 8601, as 2030-01-31 or 2030-01-31T12:00"
    )
