"""The recorded reviews of a repository before the present one, which reports show as a trend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

MOST_REVIEWS = 20
"""The number of earlier reviews that a report shows."""


class SeverityCounts(msgspec.Struct, frozen=True):
    """The number of findings of each severity."""

    error: int = 0
    warn: int = 0
    info: int = 0

    @classmethod
    def of(cls, labels: Iterable[str]) -> SeverityCounts:
        """Return the counts of the labels of severities."""
        counted = Counter(labels)
        return cls(counted["error"], counted["warn"], counted["info"])

    @property
    def total(self) -> int:
        """The number of all findings."""
        return self.error + self.warn + self.info


class PastReview(msgspec.Struct, frozen=True):
    """A recorded review.

    Attributes:
        created: the time in UTC, as RFC 3339.
        head: the head of the change, a commit or the name of another state.
        counts: the findings that the change introduced; None if the record cannot be read.
    """

    created: str
    head: str
    verdict: str
    tier: str
    counts: SeverityCounts | None


class ReviewHistory(msgspec.Struct, frozen=True):
    """The recorded reviews of a repository, the oldest first.

    Attributes:
        problem: the reason why they cannot be read; empty if they can.
    """

    reviews: tuple[PastReview, ...] = ()
    problem: str = ""
