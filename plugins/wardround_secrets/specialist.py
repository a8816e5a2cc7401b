"""The secrets specialist: every text file, in one fast look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wardround.checks import Check, Source
from wardround.findings import RawResult
from wardround.late import Late
from wardround.specialists import Specialist
from wardround_secrets.gitleaks import GITLEAKS


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="secrets",
        patterns=("*",),
        any_text=True,
        tools=(GITLEAKS,),
        checks=Late("wardround_secrets.checks:CHECKS"),
        run_checks=_run_checks,
        models=("secrets",),
    )


def _run_checks(checks: Sequence[type[Check]], source: Source) -> Iterable[RawResult]:
    from wardround_secrets.checks import CHECKS
    from wardround_secrets.checks.scanning import scanned

    return scanned(CHECKS, checks, source)
