"""The secrets specialist: every text file, in one fast look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wardround.checks.base import Check, Source
from wardround.checks.lazy import Late
from wardround.findings import RawResult
from wardround.specialists import Specialist


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="secrets",
        patterns=("*",),
        any_text=True,
        tools=Late("wardround_secrets.tools:TOOLS"),
        checks=Late("wardround_secrets.checks:CHECKS"),
        run_checks=_run_checks,
        models=("secrets",),
    )


def _run_checks(checks: Sequence[type[Check]], source: Source) -> Iterable[RawResult]:
    from wardround_secrets.checks import CHECKS
    from wardround_secrets.detection.scanner import scanned

    return scanned(CHECKS, checks, source)
