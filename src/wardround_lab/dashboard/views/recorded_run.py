"""A run of tests, a comparison of behaviour or both, as a command left it."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from wardround.context.run_evidence import RunEvidence, RunState, TestOutcome
from wardround.context.run_summary import line_counts, outcomes
from wardround.workflows.test.reports.report import TestReport

_FAILURES = frozenset({TestOutcome.FAILED, TestOutcome.ERROR})


class RecordedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run with the place of its result.

    Attributes:
        key: names it among all runs of the page.
        origin: the file or record, for people.
        created: time of the file or record in UTC.
        base, head: commits, or names such as ``index``; empty if the result does not state them.
        report: of ``wardround test``, which has more than the evidence: times, environments, edits.
    """

    key: str
    origin: str
    created: str
    evidence: RunEvidence
    base: str = ""
    head: str = ""
    report: TestReport | None = None

    @property
    def states(self) -> tuple[RunState, ...]:
        """The state of each part that was requested."""
        parts = (self.evidence.tests, self.evidence.behaviour)
        return tuple(dict.fromkeys(part.conditions.state for part in parts if part is not None))

    @property
    def result(self) -> str:
        """The result in one word; inconclusive unless all that was requested ran."""
        if not _FAILURES.isdisjoint(self.counts):
            return "failed"
        if self.states != (RunState.COMPLETE,):
            return "inconclusive"
        return "compared" if self.evidence.tests is None else "passed"

    @property
    def counts(self) -> dict[TestOutcome, int]:
        """The number of tests of each outcome, in the order of the outcomes."""
        if self.evidence.tests is None:
            return {}
        found = outcomes(self.evidence.tests)
        return {outcome: found[outcome] for outcome in TestOutcome if found[outcome]}

    @property
    def coverage(self) -> tuple[int, int] | None:
        """The number of changed lines that tests ran, and of all; None if that was not recorded."""
        if self.evidence.tests is None or not self.evidence.tests.lines:
            return None
        covered, uncovered = line_counts(self.evidence.tests)
        return covered, covered + uncovered

    @property
    def differences(self) -> int | None:
        """The number of functions with a changed result; None if behaviour was not compared."""
        return None if self.evidence.behaviour is None else len(self.evidence.behaviour.differences)

    @property
    def unnoticed(self) -> tuple[int, int] | None:
        """The number of edits that no test noticed, and of all tried; None if none was tried."""
        tests = self.evidence.tests
        return (len(tests.unnoticed), tests.mutations) if tests is not None and tests.mutations else None


def utc_time(timestamp: float) -> str:
    """Return a time of a file as records state times, to the second."""
    return datetime.fromtimestamp(int(timestamp), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
