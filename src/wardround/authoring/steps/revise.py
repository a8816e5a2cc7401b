"""The revision: what the author of the next round gets about the rejected patches."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.authoring.attempt import Attempt
from wardround.authoring.endpoint.author import ShownAttempt

_LONGEST = 2000
_MOST = 3


def shown_attempts(attempts: Sequence[Attempt]) -> list[ShownAttempt]:
    """Return the last rejected patches with the reasons, without anything that only the verifier knows."""
    return [ShownAttempt(attempt.diff[:_LONGEST], tuple(_problem(attempt))) for attempt in attempts[-_MOST:]]


def _problem(attempt: Attempt) -> list[str]:
    reasons = [f"{item.place}: {item.text}" if item.place else item.text for item in attempt.objections]
    return [reason[-_LONGEST:] for reason in reasons]
