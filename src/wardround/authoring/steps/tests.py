"""The tests of a candidate: those that define the task and the whole suite, in a fresh tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from wardround.authoring.candidate import Candidate
from wardround.authoring.steps.objection import Objection
from wardround.authoring.work import Work
from wardround.change.change_source import GitChangeSource
from wardround.change.snapshot import Snapshot
from wardround.context.run_evidence import RunState, TestEvidence, TestOutcome, TestsRun
from wardround.errors import SandboxError
from wardround.workflows.change_run import RunnableChange, run_change
from wardround.workflows.sandboxed import SandboxedWorkflows
from wardround.workflows.test.plans.selection import Scope, Target
from wardround.workflows.test.recordings.shown_ids import without_parameters
from wardround.workflows.test.reports.evidence import evidence_of
from wardround.workflows.test.runs.running import RunOptions, run_tests
from wardround.workflows.tests_at_base import add_base_results

NAME = "tests"
_FAILURES = (TestOutcome.FAILED, TestOutcome.ERROR)
_UNUSABLE = (RunState.REFUSED, RunState.FAILED)
_SOUND = (TestOutcome.PASSED, TestOutcome.FLAKY)


class WholeSuite(SandboxedWorkflows):
    """All tests, whatever the change can affect."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def tests(self, runnable: RunnableChange, /) -> TestsRun:
        """Run all tests; of failing ones the result at the base is added."""
        repository, change = runnable.repository, runnable.change
        options = RunOptions(Target(Scope.ALL), isolation=runnable.sandbox, is_recorded=False)
        run = partial(run_tests, environ=self._work.environ, progress=runnable.progress)
        with Snapshot() as private:
            found = evidence_of(run(repository, change, options, private.home))
            return add_base_results(found, repository, change, options, private.home, run)


async def run_suite(work: Work, candidate: Candidate) -> TestsRun:
    """Run all tests of a candidate.

    Raises:
        SandboxError: they cannot be run, whatever the candidate.
    """

    async def run() -> TestsRun:
        change = candidate.change(work.repository)
        source = GitChangeSource(work.repository, change)
        evidence = run_change(source, change, ("tests",), work.isolation, work.progress, WholeSuite(work))
        assert evidence.tests is not None
        return evidence.tests

    found = await work.effects.run(NAME, candidate.commit, TestsRun, run)
    if found.conditions.state in _UNUSABLE:
        raise SandboxError(f"the suite cannot be run with a patch: {found.conditions.detail}")
    return found


def objections(run: TestsRun, required: Sequence[str]) -> Iterator[Objection]:
    """Yield the reasons for which the tests reject a candidate.

    Args:
        required: ids of the tests that define the task.
    """
    for name in required:
        results = [test for test in run.tests if name in (test.id, without_parameters(test.id))]
        if not results:
            yield Objection(NAME, "the test that defines the task was not run", name)
        yield from (_failure(test, "still fails") for test in results if test.outcome not in _SOUND)
    for test in run.tests:
        if test.outcome in _FAILURES and test.base in _SOUND:
            yield _failure(test, "passes without the patch and fails with it")


def _failure(test: TestEvidence, reason: str) -> Objection:
    return Objection(NAME, f"{reason}: {test.excerpt or test.outcome}", test.id)
