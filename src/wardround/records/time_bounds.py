"""The bounds of a query in time, from dates and times as people write them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from wardround.errors import UsageError
from wardround.records.predicates import timestamp


def since(text: str) -> str:
    """Return the first time included: the start of a date, or the time.

    Raises:
        UsageError: it is neither a date nor a time of ISO 8601.
    """
    return _parse_time(text, "--since", timedelta())


def until(text: str) -> str:
    """Return the first time excluded: the start of the next date, or the time.

    Raises:
        UsageError: it is neither a date nor a time of ISO 8601.
    """
    return _parse_time(text, "--until", timedelta(days=1) if _is_date(text) else timedelta())


def _parse_time(text: str, option: str, shift: timedelta) -> str:
    try:
        moment = datetime.fromisoformat(text)
        in_a_zone = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return timestamp(in_a_zone + shift)
    except (ValueError, OverflowError) as cause:
        raise UsageError(
            f"{option} {text!r} is not a time; give ISO 8601, as 2030-01-31 or 2030-01-31T12:00"
        ) from cause


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
