"""The results of tests with patches: in forks of one process where that is possible, else in whole runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from wardround.authoring.candidate import Candidate
from wardround.authoring.repair.model import Candidate as EditCandidate
from wardround.authoring.repair.model import Observation, Validation
from wardround.authoring.repair.validation import validate
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.selection.edit_span import edit_span
from wardround.authoring.steps.tests import run_suite
from wardround.context.run_evidence import TestOutcome, TestsRun
from wardround.workflows.test.recordings.shown_ids import without_parameters

NAME = "selection-tests"
_VALIDATION_S = 60.0
"""CPU seconds for the tests of all patches together."""
_NOT_RUN = "not run"
_FAILURES = (TestOutcome.FAILED, TestOutcome.ERROR)
_SOUND = (TestOutcome.PASSED, TestOutcome.FLAKY)


class TestResult(msgspec.Struct, frozen=True):
    """The result of the tests with a patch.

    Attributes:
        passed: the number of tests that define the task and pass.
        failures: tests that fail with the patch, and define the task or pass at the base; in forks only the
            first one is known.
    """

    __test__ = False

    passed: int
    failures: tuple[str, ...] = ()


async def results_of(inputs: RunInputs, candidates: Sequence[Candidate]) -> list[TestResult]:
    """Return the results of the tests with patches, in their order.

    Raises:
        UsageError: a test that defines the task does not fail without a patch.
        SandboxError: nothing could be run.
    """
    edits = [_edit_of(inputs, candidate) for candidate in candidates]
    single = [edit for edit in edits if edit is not None]
    if inputs.work.instance.failing_tests and len(single) == len(edits):
        return await _forked_results(inputs, candidates, single)
    return [await _suite_result(inputs, candidate) for candidate in candidates]


def _edit_of(inputs: RunInputs, candidate: Candidate) -> EditCandidate | None:
    """Return a patch as one edit of a Python file; None if it changes another file, or several."""
    changed = candidate.change(inputs.work.repository).files
    if len(changed) != 1 or not changed[0].path.endswith(".py"):
        return None
    path = changed[0].path
    before, after = inputs.read(path), _text(candidate, path)
    if before is None or after is None:
        return None
    span = edit_span(before, after)
    return EditCandidate(path, "", span.start, span.end, span.replacement, "", 0.0)


def _text(candidate: Candidate, path: str) -> str | None:
    return next((file.text for file in candidate.patch.files if file.path == path), None)


async def _forked_results(
    inputs: RunInputs, candidates: Sequence[Candidate], edits: list[EditCandidate]
) -> list[TestResult]:
    observation = await inputs.failing_tests.observation()

    async def run() -> Validation:
        return _validation(inputs, observation, edits)

    request = [candidate.commit for candidate in candidates]
    found = await inputs.work.effects.run(NAME, request, Validation, run)
    return list(_test_results(found, observation, len(edits)))


def _validation(inputs: RunInputs, observation: Observation, edits: list[EditCandidate]) -> Validation:
    work, run = inputs.work, inputs.failing_tests.project
    work.progress(f"selection: tests with {len(edits)} patches")
    return validate(
        work.repository, work.instance.base, edits, observation, run.environment, _VALIDATION_S,
        environ=work.environ, log=work.logs / "solve-selection.log", isolation=run.isolation,
        project=run.root, most_plausible=len(edits),
    )  # fmt: skip


def _test_results(validation: Validation, observation: Observation, number: int) -> Iterable[TestResult]:
    failing = [test.id for test in observation.failing]
    results = {result.index: result for result in validation.results}
    for index in range(number):
        result = results.get(index)
        if result is not None:
            failures = (result.failed_test,) if result.failed_test else ()
            yield TestResult(min(result.passed, len(failing)), failures)
        else:
            yield TestResult(0, (failing[0] if index < validation.tried else _NOT_RUN,))


async def _suite_result(inputs: RunInputs, candidate: Candidate) -> TestResult:
    inputs.work.progress("selection: the whole suite with a patch")
    return _suite_summary(await run_suite(inputs.work, candidate), inputs.work.instance.failing_tests)


def _suite_summary(run: TestsRun, names: Sequence[str]) -> TestResult:
    required = [test for test in run.tests if not {test.id, without_parameters(test.id)}.isdisjoint(names)]
    failing = {test.id for test in required if test.outcome not in _SOUND}
    broken = {test.id for test in run.tests if test.outcome in _FAILURES and test.base in _SOUND}
    return TestResult(len(required) - len(failing), tuple(sorted(failing | broken)))
