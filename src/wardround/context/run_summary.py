"""Statements that follow from a run: how far it counts as evidence, and its counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wardround.context.run_evidence import RunConditions, RunState, TestEvidence, TestOutcome, TestsRun
from wardround.text.failures import error_line

NO_ISOLATION = "none"
_FAILURES = frozenset({TestOutcome.FAILED, TestOutcome.ERROR})
_MOST_NAMED = 5


def is_isolated(conditions: RunConditions) -> bool:
    """Return True if the code ran in a sandbox."""
    return conditions.isolation not in ("", NO_ISOLATION)


def is_evidence(conditions: RunConditions) -> bool:
    """Return True if a run supports a statement in favour of the change: it is complete, in a sandbox."""
    return conditions.state is RunState.COMPLETE and is_isolated(conditions)


def incomplete(conditions: RunConditions, subject: str) -> str:
    """Return the reason why a run is not complete; empty if it is.

    The line of a rejected run names no subject, so that a verdict states it once for two parts.

    Args:
        subject: what was to run, as a plural noun phrase.
    """
    if conditions.state is RunState.COMPLETE:
        return ""
    how = {
        RunState.PARTIAL: f"{subject} did not all run",
        RunState.FAILED: f"{subject} did not run to the end",
        RunState.REFUSED: "the run was refused",
    }[conditions.state]
    return f"{how}: {conditions.detail or 'no reason given'}"


def outcomes(run: TestsRun) -> Counter[TestOutcome]:
    """Return the number of tests with each result."""
    return Counter(test.outcome for test in run.tests)


def failures(run: TestsRun) -> tuple[TestEvidence, ...]:
    """Return the tests that fail at the head and are not known to have failed before the change.

    Tests without a result at the base that fail with the very error of others that failed there are
    ``unexplained_failures``.
    """
    unexplained = unexplained_failures(run)
    found = (test for test in run.tests if test.outcome in _FAILURES and test.base not in _FAILURES)
    return tuple(failure for failure in found if failure not in unexplained)


def unexplained_failures(run: TestsRun) -> tuple[TestEvidence, ...]:
    """Return the tests that fail with the error of a test that failed before, too, and were not run there.

    Something that the environment lacks, as a program, is the usual reason. They are no evidence for or
    against the change.
    """
    known = {error_of(failure) for failure in former_failures(run)} - {""}
    return tuple(
        test
        for test in run.tests
        if test.outcome in _FAILURES and test.base is None and error_of(test) in known
    )


def error_of(test: TestEvidence) -> str:
    """Return the line of a failed test that names its failure."""
    return error_line(test.excerpt)


def former_failures(run: TestsRun) -> tuple[TestEvidence, ...]:
    """Return the tests that failed before the change, too."""
    return tuple(test for test in run.tests if test.outcome in _FAILURES and test.base in _FAILURES)


def named_tests(tests: Sequence[TestEvidence]) -> str:
    """Return the names of a few tests, and the number of the others."""
    names = [test.id for test in tests[:_MOST_NAMED]]
    left = len(tests) - len(names)
    return ", ".join(names) + (f" and {left} more" if left else "")


def line_counts(run: TestsRun) -> tuple[int, int]:
    """Return the numbers of changed lines that passing tests ran, and that none ran."""
    return sum(len(line.covered) for line in run.lines), sum(len(line.uncovered) for line in run.lines)


def shows_lines(run: TestsRun | None) -> bool:
    """Return True if the run is evidence on which of the changed lines passing tests ran."""
    return run is not None and is_evidence(run.conditions) and bool(run.lines)


def covers_change(run: TestsRun | None) -> bool:
    """Return True if passing tests ran every changed line, in a sandbox, and none failed or was excluded."""
    if run is None or not shows_lines(run):
        return False
    covered, uncovered = line_counts(run)
    found = outcomes(run)
    is_clean = not (_FAILURES & found.keys()) and not found[TestOutcome.NOT_RUN]
    return bool(covered) and not uncovered and is_clean


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
