"""The influence of a run on the signals of the planes that it concerns.

A run that is not complete leaves its planes inconclusive. A run without a sandbox can show a defect, and
never that the change is correct.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from wardround.context.document import ContextDocument
from wardround.context.run_evidence import BehaviourRun, RunConditions, TestOutcome, TestsRun
from wardround.context.run_summary import (
    count_of,
    covers_change,
    failures,
    former_failures,
    incomplete,
    is_isolated,
    line_counts,
    named_tests,
    outcomes,
    shows_lines,
    unexplained_failures,
)
from wardround.planes.claims import Claim, SourceKind, claim, measured_source
from wardround.planes.evidence import Evidence
from wardround.planes.signal import PlaneStatus, Signal

TEST_SUBJECT = "the tests of the change"
BEHAVIOUR_SUBJECT = "the changed functions"
FAILED_TEST = "run/failed-test"
_RAN = frozenset(TestOutcome) - {TestOutcome.SKIPPED, TestOutcome.NOT_RUN}
COVERAGE = "run-line-coverage"


def add_test_run(signal: Signal, context: ContextDocument, evidence: Evidence) -> Signal:
    """Return the signal of the tests plane with the outcome of the run."""
    run = context.ran.tests
    if run is None:
        return signal
    return _add_line(signal, tuple(_test_gaps(run, evidence)), test_line(run))


def add_behaviour_run(signal: Signal, context: ContextDocument, evidence: Evidence) -> Signal:
    """Return the signal of the semantic or the contract plane with the outcome of the comparison."""
    run = context.ran.behaviour
    if run is None:
        return signal
    gap = incomplete(run.conditions, BEHAVIOUR_SUBJECT)
    return _add_line(signal, (gap,) if gap else (), behaviour_line(run))


def coverage_claims(context: ContextDocument, evidence: Evidence) -> Iterator[Claim]:
    """Yield the claim on the changed lines that ran, which counts nothing by itself."""
    run = context.ran.tests
    if run is None or not shows_lines(run):
        return
    covered, uncovered = line_counts(run)
    source = measured_source(COVERAGE, SourceKind.RUN, evidence.precision.get(COVERAGE))
    text = f"{covered} of {covered + uncovered} changed lines ran in passing tests"
    yield claim(text, [source] if covers_change(run) else (), counts=False)


def test_line(run: TestsRun) -> str:
    """Return the outcome of the tests in one line."""
    parts = (*_outcome_parts(run), *_line_parts(run), *_mutation_parts(run))
    return f"tests that ran{_isolation(run.conditions)}: {'; '.join(parts)}"


def _outcome_parts(run: TestsRun) -> Iterator[str]:
    counts = outcomes(run)
    named = [
        f"{counts[outcome]} {outcome.value.replace('-', ' ')}" for outcome in TestOutcome if counts[outcome]
    ]
    yield ", ".join(named) or "no test is affected"
    former = len(former_failures(run))
    if former:
        yield f"{former} of them failed before the change, too"
    flaky = [test for test in run.tests if test.outcome is TestOutcome.FLAKY]
    if flaky:
        yield f"flaky: {named_tests(flaky)}"


def _line_parts(run: TestsRun) -> Iterator[str]:
    if run.delta:
        base = _coverage_text([file.base for file in run.delta])
        head = _coverage_text([file.head for file in run.delta])
        yield f"of the changed files, {base} lines ran before and {head} after"
    if run.lines:
        covered, uncovered = line_counts(run)
        yield f"{covered} of {covered + uncovered} changed lines ran in passing tests"


def _mutation_parts(run: TestsRun) -> Iterator[str]:
    if run.mutations:
        yield f"{len(run.unnoticed)} of {run.mutations} small edits unnoticed"
    if run.mutation_problem:
        yield run.mutation_problem


def _coverage_text(sides: Sequence[tuple[int, int] | None]) -> str:
    """Return the covered and the executable lines at base or head, as "8 of 10"."""
    known = [side for side in sides if side is not None]
    return f"{sum(covered for covered, _ in known)} of {sum(lines for _, lines in known)}"


def behaviour_line(run: BehaviourRun) -> str:
    """Return the outcome of the comparison in one line; functions that did not run are not mentioned."""
    if not run.compared and not run.not_compared:
        return "behaviour: no changed Python function to compare"
    inputs = sum(result.inputs for result in run.compared)
    functions = f"{count_of(len(run.compared), 'function')} on {count_of(inputs, 'input')}"
    parts = [functions, f"results that differ: {len(run.differences)}"]
    if run.not_compared:
        parts.append(f"not compared: {len(run.not_compared)}")
    return f"behaviour compared{_isolation(run.conditions)}: {', '.join(parts)}"


def _isolation(conditions: RunConditions) -> str:
    if not conditions.isolation:
        return ""
    return f" in {conditions.isolation}" if is_isolated(conditions) else " without isolation, so no evidence"


def _add_line(signal: Signal, gaps: Sequence[str], line: str) -> Signal:
    """Return the signal with a line, and inconclusive if something is missing.

    A plane that judges no file of the change stays not applicable.
    """
    described = replace(signal, derivation=(*signal.derivation, line))
    if not gaps or signal.status is PlaneStatus.NOT_APPLICABLE:
        return described
    return replace(
        described, status=PlaneStatus.INCONCLUSIVE, confidence=0.0, reasons=(*signal.reasons, *gaps)
    )


def _test_gaps(run: TestsRun, evidence: Evidence) -> Iterator[str]:
    reason = incomplete(run.conditions, TEST_SUBJECT)
    left = outcomes(run)[TestOutcome.NOT_RUN]
    if reason:
        yield reason
    elif left:
        yield f"{count_of(left, 'test')} of the change did not run"
    elif run.tests and not _RAN & outcomes(run).keys():
        yield f"none of {count_of(len(run.tests), 'chosen test')} ran"
    if run.mutation_problem:
        yield f"the small edits of the changed lines did not run: {run.mutation_problem}"
    unexplained = len(unexplained_failures(run))
    if unexplained:
        yield f"{count_of(unexplained, 'new test')} failed with the error of tests that failed before"
    failed = len(failures(run))
    reported = sum(finding.rule == FAILED_TEST for finding in evidence.findings)
    if reported < failed:
        yield f"{count_of(failed - reported, 'failed test')} without a finding"
