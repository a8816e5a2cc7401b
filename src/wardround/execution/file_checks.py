"""Run the checks of one specialist on one file, within their time budget."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from functools import partial

import msgspec

from wardround.assignment.work_units import WorkUnit
from wardround.change.change_source import decode_any_encoding, decode_text
from wardround.change.encoding import lower_suffix
from wardround.checks.base import Check
from wardround.checks.crashes import CheckCrashes
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import Budget, SourceFile
from wardround.errors import PLUGIN_EXCEPTIONS, CannotReview, OverBudget
from wardround.execution.model import replace_path
from wardround.execution.review_side import ReviewSide
from wardround.findings import PARSE_FAILURE_PREFIX, RawFinding, Unreviewed
from wardround.inference.api import Models, NoModels

CANCELLED = "it was not checked, because the review was interrupted"


class CheckOutcome(msgspec.Struct, frozen=True):
    """The outcome of the checks of one specialist in one file.

    Attributes:
        findings: None if the file could not be checked.
        cacheable: True if another run returns the same.
        unreviewed: the file, or checks that crashed on it.
    """

    findings: list[RawFinding] | None
    cacheable: bool
    unreviewed: tuple[Unreviewed, ...]
    seconds: float


class FileChecks:
    """Runs the checks over files at base or head.

    Args:
        budget_s: processor time for the checks of one specialist in one file, which is unreviewed beyond it.
    """

    def __init__(self, side: ReviewSide, budget_s: float) -> None:
        self._side = side
        self.budget_s = budget_s

    def run(self, unit: WorkUnit) -> CheckOutcome:
        """Run all checks of a unit; an exceeded budget makes its file unreviewed, a crash the check.

        At the base a crash makes the file unreviewed: without the results of a check, its findings at the
        head would count as caused by the change.
        """
        started, crashes = time.monotonic(), None if self._side.is_base else CheckCrashes()
        try:
            findings, cacheable = self._findings(unit, crashes)
            unreviewed = tuple(unreviewed_unit(unit, reason) for reason in crashes.reasons) if crashes else ()
            seconds = time.monotonic() - started
            return CheckOutcome(findings, cacheable and not unreviewed, unreviewed, seconds)
        except OverBudget:
            return self.over_budget(unit, time.monotonic() - started)
        except CannotReview as cause:
            reason = str(cause)
        except SyntaxError as cause:
            reason = f"{PARSE_FAILURE_PREFIX}: line {cause.lineno or 1}: {cause.msg}"
        except PLUGIN_EXCEPTIONS as cause:
            reason = f"a check crashed: {type(cause).__name__}: {cause}"
        return refused_outcome(unit, reason, time.monotonic() - started)

    def over_budget(self, unit: WorkUnit, seconds: float) -> CheckOutcome:
        return refused_outcome(unit, f"its checks took longer than {self.budget_s:g} s", seconds)

    def _findings(self, unit: WorkUnit, crashes: CheckCrashes | None) -> tuple[list[RawFinding], bool]:
        """Return the findings of a unit, and whether they can be cached."""
        specialist = unit.specialist
        content = self._side.read(unit.path) or b""
        text = (decode_any_encoding(content) if specialist.reviews_all_text else decode_text(content)) or ""
        checks = specialist.checks if unit.codes is None else _select_by_codes(specialist.checks, unit.codes)

        def run(models: Models) -> list[RawFinding]:
            source = self._source(unit, text, models, crashes)
            found = specialist.run_checks(checks, source.as_added() if unit.first else source)
            return [replace_path(result, unit.path) for result in found]

        models = self._side.models
        return (run(NoModels()), True) if models is None else models.run_with_models(unit, run)

    def _source(self, unit: WorkUnit, text: str, models: Models, crashes: CheckCrashes | None) -> SourceFile:
        side, path = self._side, unit.path
        return SourceFile(
            lower_suffix(path), text, partial(side.base_text, path), side.project, unit.options,
            partial(side.is_added, path), models, side.changed.__contains__, partial(side.added_lines, path),
            Budget(self.budget_s), crashes,
        )  # fmt: skip


def refused_outcome(unit: WorkUnit, reason: str, seconds: float = 0.0) -> CheckOutcome:
    """Return the outcome of a unit that could not be checked."""
    return CheckOutcome(None, False, (unreviewed_unit(unit, reason),), seconds)


def unreviewed_unit(unit: WorkUnit, reason: str) -> Unreviewed:
    """Report that checks of a specialist did not review a file."""
    name = unit.specialist.name
    return Unreviewed(unit.path, name, name, reason)


def _select_by_codes(checks: Sequence[type[Check]], codes: Collection[str]) -> Sequence[type[Check]]:
    """Return the checks that report these codes; all of them where a code belongs to none."""
    selected: Sequence[type[Check]]
    if isinstance(checks, CheckRegistry):
        selected = checks.subset(codes)
    else:
        selected = [check for check in checks if check.ID in codes]
    return selected if len(selected) == len(codes) else checks
