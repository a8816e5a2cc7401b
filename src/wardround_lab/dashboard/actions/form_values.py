"""The values of text fields of a form."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from pathlib import Path

from wardround.errors import UsageError

_SEPARATORS = re.compile(r"[,\s]+")


def names_in(text: str) -> tuple[str, ...]:
    """Return the names in a text, between commas and white space."""
    return tuple(name for name in _SEPARATORS.split(text) if name)


def start_of_day(text: str) -> int | None:
    """Return the start of a day in UTC, in seconds since 1970; None for an empty text.

    Raises:
        UsageError: the text is not a day.
    """
    if not text.strip():
        return None
    try:
        day = date.fromisoformat(text.strip())
    except ValueError as cause:
        raise UsageError(f"{text!r}: write a day as YYYY-MM-DD, or leave it empty") from cause
    return int(datetime.combine(day, time(), UTC).timestamp())


def shown_path(repository: Path, path: Path) -> str:
    """Return a path as it is typed in the root of the repository."""
    return str(path.relative_to(repository)) if path.is_relative_to(repository) else str(path)
