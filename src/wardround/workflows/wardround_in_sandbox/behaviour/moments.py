"""Other dates, times and durations near recorded ones."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from random import Random
from typing import Any

MOMENTS = (datetime, date, time, timedelta)
_NOW = datetime(2026, 1, 1)
"""The moment at which the clock of a replay is frozen."""
_SECOND, _DAY = timedelta(seconds=1), timedelta(days=1)
_ZONES = (*(timezone(timedelta(hours=hours)) for hours in (0, 14, -12)), None)
"""UTC, the first and the last time zone, in which it is another day, and none."""


def changed_moment(value: Any, random: Random) -> Any:
    """Return another day, a time near midnight, another time zone, or a duration near a limit.

    Raises:
        OverflowError: the result is not in the range of dates.
        ValueError: the day does not exist in this year or month.
    """
    if isinstance(value, timedelta):
        return random.choice([timedelta(), -value, value + _SECOND, value - _SECOND, value + _DAY, value * 2])
    options: list[Any] = []
    if isinstance(value, date):
        options += [value + _DAY, value - _DAY, value.replace(day=1), value.replace(year=value.year + 1)]
    if isinstance(value, (datetime, time)):
        options += [value.replace(tzinfo=zone) for zone in _ZONES if zone != value.tzinfo]
        options.append(value.replace(hour=23, minute=59, second=59))
        options.append(value.replace(hour=0, minute=0, second=0, microsecond=0))
    if isinstance(value, date):
        options.append(value.replace(year=_NOW.year, month=_NOW.month, day=_NOW.day))
    if isinstance(value, datetime):
        options.append(_NOW.replace(tzinfo=random.choice(_ZONES)))
    return random.choice(options)
