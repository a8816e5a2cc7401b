"""The header ``Retry-After`` of HTTP."""

from __future__ import annotations

import math


def seconds_until(retry_after: str, date: str, current: float) -> float | None:
    """Return the seconds of a ``Retry-After`` header, which has a number or a date; None for anything else.

    Args:
        date: the header with the time of the endpoint, whose clock may differ from this one.
        current: seconds since the epoch, for an endpoint that states no time.
    """
    try:
        seconds = float(retry_after)
    except ValueError:
        end, begin = _timestamp(retry_after), _timestamp(date)
        if end is None:
            return None
        seconds = end - (current if begin is None else begin)
    return None if math.isnan(seconds) else max(0.0, seconds)


def _timestamp(text: str) -> float | None:
    from email.utils import parsedate_to_datetime  # only for a refusal

    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None
