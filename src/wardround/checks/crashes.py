"""Crashes of checks: each only loses the results of its own check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from wardround.errors import PLUGIN_EXCEPTIONS, WardroundError

OF_THE_FILE = (WardroundError, SyntaxError)
"""Exceptions about the file, which no check of the specialist can read."""
_MOST_NAMED = 5
"""Maximum number of checks named in one sentence: a defect of a shared reader makes many crash."""


class CheckCrashes:
    """The checks of one specialist that crashed on one file."""

    def __init__(self) -> None:
        self._checks_by_error: dict[str, list[str]] = {}

    @contextmanager
    def isolate(self, check: str) -> Iterator[None]:
        """Record an exception of a check instead of raising it, unless it is about the file."""
        try:
            yield
        except OF_THE_FILE:
            raise
        except PLUGIN_EXCEPTIONS as error:
            self.add(check, error)

    def add(self, check: str, error: BaseException) -> None:
        """Record the crash of a check, by its id."""
        checks = self._checks_by_error.setdefault(f"{type(error).__name__}: {error}", [])
        if check not in checks:
            checks.append(check)

    @property
    def reasons(self) -> Sequence[str]:
        """One sentence for each error, with the checks that it ended."""
        return [
            f"{_join_check_names(checks)} crashed: {error}" for error, checks in self._checks_by_error.items()
        ]


def _join_check_names(checks: Sequence[str]) -> str:
    named = ", ".join(checks[:_MOST_NAMED])
    if len(checks) == 1:
        return f"check {named}"
    rest = len(checks) - _MOST_NAMED
    return f"checks {named} and {rest} more" if rest > 0 else f"checks {named}"
