"""The secrets specialist: every text file, in one fast look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wardround.checks.base import Check
from wardround.checks.lazy import LazySequence
from wardround.checks.source import SourceFile
from wardround.findings import RawFinding
from wardround.specialists import Specialist


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="secrets",
        patterns=("*",),
        reviews_all_text=True,
        tools=LazySequence("wardround_secrets.tools:TOOLS"),
        checks=LazySequence("wardround_secrets.checks:CHECKS"),
        run_checks=_run_checks,
        models=("secrets",),
    )


def _run_checks(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    from wardround_secrets.checks import CHECKS
    from wardround_secrets.detection.scanner import scanned

    return scanned(CHECKS, checks, source)
