"""The report of a run of tests as evidence of a review: without times, logs and paths of a machine."""

from __future__ import annotations

import hashlib

from wardround.context.run_evidence import RunConditions, TestEvidence, TestsRun
from wardround.sandbox.choices import NONE
from wardround.workflows.test.reports.report import TestReport


def evidence_of(report: TestReport) -> TestsRun:
    """Return what a review records of a run of tests."""
    tests = tuple(
        TestEvidence(test.id, test.outcome, test.reason, test.excerpt or test.detail, test.places)
        for test in report.tests
    )
    found = TestsRun(_conditions(report), tests, report.lines, report.delta)
    return found if report.mutation is None else report.mutation.added_to(found)


def _conditions(report: TestReport) -> RunConditions:
    isolations = sorted({run.isolation for run in report.runs if run.isolation})
    isolation = NONE if NONE in isolations else "+".join(isolations)
    digests = sorted({run.environment.digest for run in report.runs if run.environment is not None})
    environment = digests[0] if len(digests) == 1 else _digest(digests)
    return RunConditions(report.state, isolation, environment, report.detail)


def _digest(digests: list[str]) -> str:
    return hashlib.sha256("\n".join(digests).encode()).hexdigest() if digests else ""
