"""The results of running the change in reports: short for people, complete in JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from wardround.context.run_evidence import BehaviourRun, RunEvidence, TestOutcome, TestsRun
from wardround.context.run_summary import incomplete, is_isolated, line_counts, outcomes
from wardround.planes.run_judgement import BEHAVIOUR_SUBJECT, TEST_SUBJECT, behaviour_line, test_line
from wardround.reports.terminal import wrapped
from wardround.text.escaping import one_line

_SHOWN = 3
"""The number of functions without a comparison that the text report names; --format json has all."""


def run_lines(run: RunEvidence) -> Iterator[str]:
    """Return the lines of the text report; none without a run. The findings are shown with the others."""
    if run.tests is not None:
        yield from _wrapped(incomplete(run.tests.conditions, TEST_SUBJECT) or test_line(run.tests))
    if run.behaviour is not None:
        yield from _wrapped(
            incomplete(run.behaviour.conditions, BEHAVIOUR_SUBJECT) or behaviour_line(run.behaviour)
        )
        yield from _not_compared(run.behaviour)


def _not_compared(run: BehaviourRun) -> Iterator[str]:
    for one in run.not_compared[:_SHOWN]:
        yield from _wrapped(f"not compared: {one.path} {one.function}: {one.reason}")
    if len(run.not_compared) > _SHOWN:
        yield from _wrapped(f"not compared: {len(run.not_compared) - _SHOWN} more; --format json has them")


def _wrapped(text: str) -> list[str]:
    return wrapped(one_line(text), 2, "run: ")


def run_counts(run: RunEvidence) -> dict[str, Any]:
    """Return the conditions and the counts; empty without a run."""
    parts: dict[str, Any] = {}
    if run.tests is not None:
        parts["tests"] = _test_counts(run.tests)
    if run.behaviour is not None:
        parts["behaviour"] = _behaviour_counts(run.behaviour)
    return parts


def run_dict(run: RunEvidence) -> dict[str, Any]:
    """Return everything that the run showed; empty without one."""
    parts = run_counts(run)
    if run.tests is not None:
        parts["tests"] |= _lists(run.tests, ("tests", "lines", "delta", "unnoticed"))
    if run.behaviour is not None:
        parts["behaviour"] |= _lists(run.behaviour, ("differences", "functions", "not_compared"))
    return parts


def _test_counts(run: TestsRun) -> dict[str, Any]:
    found = outcomes(run)
    covered, uncovered = line_counts(run)
    return {
        **_conditions(run),
        "outcomes": {one.value: found[one] for one in TestOutcome if found[one]},
        "lines_covered": covered,
        "lines_uncovered": uncovered,
        "mutations": run.mutations,
    }


def _behaviour_counts(run: BehaviourRun) -> dict[str, Any]:
    return {
        **_conditions(run),
        "functions_compared": len(run.compared),
        "functions_differing": len(run.differences),
        "functions_not_compared": len(run.not_compared),
    }


def _conditions(run: TestsRun | BehaviourRun) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(run.conditions)
    return values | {"isolated": is_isolated(run.conditions)}


def _lists(run: TestsRun | BehaviourRun, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the lists of a part; a list without content has no key."""
    values = msgspec.to_builtins(run)
    values["functions"] = values.pop("compared", [])
    return {name: values[name] for name in names if values.get(name)}
