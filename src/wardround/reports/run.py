"""The results of running the change in reports: short for people, complete in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from wardround.context.run_evidence import (
    BehaviourRun,
    RunConditions,
    RunEvidence,
    RunState,
    TestOutcome,
    TestsRun,
)
from wardround.context.run_summary import is_isolated, line_counts, outcomes
from wardround.planes.run_judgement import behaviour_line, test_line
from wardround.reports.terminal import wrap
from wardround.text.escaping import one_line
from wardround.text.json_schema import schema_text

_SHOWN = 3
"""Number of functions without a comparison that the text report names; --format json has all."""


def run_lines(run: RunEvidence) -> Iterator[str]:
    """Return the lines of the text report; none without a run. The findings are shown with the others, and
    the reason why a part is not complete with what was not reviewed.
    """
    if run.tests is not None and _has_results(run.tests.conditions, run.tests.tests):
        yield from _wrap_line(test_line(run.tests))
    if run.behaviour is not None and _has_results(run.behaviour.conditions, run.behaviour.compared):
        yield from _wrap_line(behaviour_line(run.behaviour))
        yield from _uncompared_lines(run.behaviour)


def _has_results(conditions: RunConditions, results: Sequence[object]) -> bool:
    is_begun = bool(results) and conditions.state is not RunState.REFUSED
    return is_begun or conditions.state is RunState.COMPLETE


def _uncompared_lines(run: BehaviourRun) -> Iterator[str]:
    for result in run.not_compared[:_SHOWN]:
        yield from _wrap_line(f"not compared: {result.path} {result.function}: {result.reason}")
    if len(run.not_compared) > _SHOWN:
        yield from _wrap_line(f"not compared: {len(run.not_compared) - _SHOWN} more; --format json has them")


def _wrap_line(text: str) -> list[str]:
    return wrap(one_line(text), 2, "run: ")


def run_counts(run: RunEvidence) -> dict[str, Any]:
    """Return the conditions and the counts; empty without a run."""
    parts: dict[str, Any] = {}
    if run.tests is not None:
        parts["tests"] = _test_counts(run.tests)
    if run.behaviour is not None:
        parts["behaviour"] = _behaviour_counts(run.behaviour)
    return parts


def run_dict(run: RunEvidence) -> dict[str, Any]:
    """Return the run as a record has it, and its counts; empty if there is none."""
    parts = {name: part for name, part in msgspec.to_builtins(run).items() if part is not None}
    return parts | {"counts": run_counts(run)} if parts else {}


def schema() -> str:
    """Return the JSON schema of a run in a record, and in the JSON report besides ``counts``."""
    return schema_text(RunEvidence)


def _test_counts(run: TestsRun) -> dict[str, Any]:
    found = outcomes(run)
    covered, uncovered = line_counts(run)
    return {
        "state": run.conditions.state.value,
        "isolated": is_isolated(run.conditions),
        "outcomes": {outcome.value: found[outcome] for outcome in TestOutcome if found[outcome]},
        "lines_covered": covered,
        "lines_uncovered": uncovered,
        "mutations": run.mutations,
    }


def _behaviour_counts(run: BehaviourRun) -> dict[str, Any]:
    return {
        "state": run.conditions.state.value,
        "isolated": is_isolated(run.conditions),
        "functions_compared": len(run.compared),
        "functions_differing": len(run.differences),
        "functions_not_compared": len(run.not_compared),
    }
