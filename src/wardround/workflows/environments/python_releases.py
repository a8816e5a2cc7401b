"""The interpreter that was in use on a day, as requests for one of those that are installed."""

from __future__ import annotations

from collections.abc import Sequence

_RELEASES = (
    ("3.14", "2025-10-07"), ("3.13", "2024-10-07"), ("3.12", "2023-10-02"), ("3.11", "2022-10-24"),
    ("3.10", "2021-10-04"), ("3.9", "2020-10-05"),
)  # fmt: skip
"""Versions with the day of their first release, as PEP 596 and its successors have it; programs of
``wardround_in_sandbox`` need the oldest.
"""
_SETTLED_MONTHS = 6
"""Months until most packages have wheels for a version."""


def requests_at(day: str, pythons: Sequence[str]) -> tuple[str, ...]:
    """Return requests for an interpreter, best first: the newest that most packages supported on a day, then
    older ones, then newer ones, then any.

    Args:
        day: as ``2021-03-31``; empty for no preference.
        pythons: the requests of the project.
    """
    if not day:
        return tuple(pythons)
    settled = [
        version for version, release in _RELEASES if _months(release) + _SETTLED_MONTHS <= _months(day)
    ]
    later = [version for version, _ in reversed(_RELEASES) if version not in settled]
    versions = [f"=={version}.*" for version in (*settled, *later)]
    exact = [",".join((*pythons[:1], version)) for version in versions]
    return (*exact, *(pythons or ("",)))


def _months(day: str) -> int:
    year, month = day.split("-")[:2]
    return int(year) * 12 + int(month)
