"""The checks that look at a change as a whole: what they are shown, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from msgspec.structs import replace

from wardround.checks.base import ChangeCheck
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import Budget, ChangeView
from wardround.errors import PLUGIN_EXCEPTIONS, OverBudget
from wardround.findings import RawFinding, Unreviewed
from wardround.inference.api import Models
from wardround.specialists import Specialist

ModelScope = Callable[[Callable[[Models], list[RawFinding]]], list[RawFinding]]
"""Runs something with the models that are lent to a specialist."""


def run_change_checks(
    specialist: Specialist, change: ChangeView, look: ModelScope, budget: Budget, over_budget: str
) -> Iterator[RawFinding | Unreviewed]:
    """What a specialist's checks of the whole change report, and which of them could not be run.

    Args:
        budget: the time of all of them; those that are left when it is spent are not run.
        over_budget: the reason that is given then.
    """
    checks = specialist.change_checks
    asked = checks.candidates_for_change(change.files) if isinstance(checks, CheckRegistry) else checks
    for check_type in asked:
        try:
            budget.require()
            yield from look(partial(_results_of, check_type, change))
        except OverBudget:
            yield refusal(specialist, change.files[0].path, over_budget)
            return
        except PLUGIN_EXCEPTIONS as cause:
            reason = f"check {check_type.ID} crashed: {type(cause).__name__}: {cause}"
            yield refusal(specialist, change.files[0].path, reason)


def refusal(specialist: Specialist, path: str, reason: str) -> Unreviewed:
    return Unreviewed(path, specialist.name, specialist.name, reason)


def _results_of(check_type: type[ChangeCheck], change: ChangeView, models: Models) -> list[RawFinding]:
    check = check_type(replace(change, models=models))
    check.run()
    return check.results
