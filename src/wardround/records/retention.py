"""The records to keep, by their age and their number."""

from __future__ import annotations

from datetime import datetime, timedelta

from wardround.records.predicates import timestamp
from wardround.records.store import Retention


def retention_of(days: int | None, newest: int | None, current: datetime) -> Retention:
    """Return the records to keep at a time; a record that one of the numbers keeps is kept."""
    since = None if days is None else timestamp(current - _age(days, current))
    return Retention(since, newest)


def _age(days: int, current: datetime) -> timedelta:
    """Return an age, at most that of the first time that can be written."""
    return min(timedelta(days=min(days, 10**6)), current - datetime(1, 1, 2, tzinfo=current.tzinfo))
