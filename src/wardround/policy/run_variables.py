"""The variables of policies about a run. They are positive evidence: without a run, none is true.

A number that only a run can show is null where the run is absent, incomplete or without a sandbox. CEL cannot
compare null with a number, and a condition that cannot be evaluated counts as true, so that a policy never
becomes milder because nothing ran.
"""

from __future__ import annotations

from typing import Any

from wardround.context.run_evidence import BehaviourRun, RunConditions, RunEvidence, TestOutcome, TestsRun
from wardround.context.run_summary import (
    NO_ISOLATION,
    failures,
    former_failures,
    is_evidence,
    line_counts,
    outcomes,
    shows_lines,
    unexplained_failures,
)

ABSENT = "absent"
UNISOLATED = "unisolated"
_NUMBERS = ("failed", "failed_before", "flaky", "passed", "skipped", "unnoticed")


def run_variables(run: RunEvidence) -> dict[str, Any]:
    """Return the variables: ``isolation``, the numbers of lines, ``tests`` and ``behaviour``."""
    covered, uncovered = _lines(run.tests)
    return {
        "isolation": _isolation(run),
        "lines_covered": covered,
        "lines_uncovered": uncovered,
        "tests": _tests(run.tests),
        "behaviour": _behaviour(run.behaviour),
    }


def _state(conditions: RunConditions | None) -> str:
    """Return the state of a run; one without isolation is never ``complete``."""
    if conditions is None:
        return ABSENT
    return UNISOLATED if conditions.isolation == NO_ISOLATION else conditions.state.value


def _isolation(run: RunEvidence) -> str:
    """Return the back end of the sandbox; ``none`` if a part ran without one, empty if nothing ran."""
    names = [part.conditions.isolation for part in (run.tests, run.behaviour) if part is not None]
    if NO_ISOLATION in names:
        return NO_ISOLATION
    return next((name for name in names if name), "")


def _lines(run: TestsRun | None) -> tuple[int | None, int | None]:
    if run is None or not is_evidence(run.conditions):
        return None, None
    return line_counts(run) if shows_lines(run) else (None, None)


def _tests(run: TestsRun | None) -> dict[str, Any]:
    """Return the numbers of tests; failures count in any state, and their absence only in a complete run."""
    if run is None:
        return {"state": ABSENT} | dict.fromkeys(_NUMBERS)
    found = outcomes(run)
    counts = {
        "failed": len(failures(run)) + len(unexplained_failures(run)),
        "failed_before": len(former_failures(run)),
        "flaky": found[TestOutcome.FLAKY],
        "passed": found[TestOutcome.PASSED],
        "skipped": found[TestOutcome.SKIPPED],
        "unnoticed": len(run.unnoticed) if run.mutations else None,
    }
    is_known = is_evidence(run.conditions)
    return {
        "state": _state(run.conditions),
        **{
            name: value if is_known or (value and name != "passed") else None
            for name, value in counts.items()
        },
    }


def _behaviour(run: BehaviourRun | None) -> dict[str, Any]:
    is_known = run is not None and is_evidence(run.conditions)
    return {
        "state": _state(run.conditions if run else None),
        "compared": len(run.compared) if run and is_known else None,
        "not_compared": len(run.not_compared) if run and is_known else None,
        "differences": len(run.differences) if run and (is_known or run.differences) else None,
    }
