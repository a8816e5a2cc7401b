"""Runs of proposed tests on the base, alone or with the files of a patch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wardround.authoring.proposed_tests import (
    ProposedTest,
    ProposedTests,
    RejectedTest,
    WrittenTests,
    new_tests,
)
from wardround.authoring.repair.model import Failure, Observation, ObservedTest
from wardround.authoring.repair.observation import observe
from wardround.authoring.stages import PatchedFile
from wardround.authoring.work import Work
from wardround.context.run_evidence import TestOutcome
from wardround.workflows.test.recordings.shown_ids import without_parameters

AT_BASE, WITH_PATCH = "proposed-tests", "proposed-tests-with-patch"
"""The steps in the sequence."""
_MOST_S = 60.0
"""CPU seconds of the tests of one proposal."""
_MESSAGE = "Proposed tests of wardround solve\n"
_OWN_FAULTS = frozenset(
    {
        "ImportError",
        "IndentationError",
        "ModuleNotFoundError",
        "NameError",
        "SyntaxError",
        "UnboundLocalError",
    }
)
"""Exceptions that are the fault of a test if its own file raises them."""
_OUTCOMES = {
    TestOutcome.PASSED: "it passes, although the task is not done",
    TestOutcome.FLAKY: "it fails in one of two runs",
    TestOutcome.SKIPPED: "it is skipped",
    TestOutcome.ERROR: "its fixtures fail",
}


async def run_at_base(work: Work, written: WrittenTests) -> ProposedTests:
    """Run written tests without a patch, and return them by what that shows.

    Raises:
        EnvironmentUnavailable: the project has no environment.
        UsageError: the tests are of several projects.
    """
    if not written.ids:
        problem = written.reason or "no tests were proposed"
        return ProposedTests(author=written.author, reason=written.reason, problem=problem)
    observation = await run_tests(work, AT_BASE, written.files, written.ids)
    kept, rejected = list[ProposedTest](), list[RejectedTest]()
    sources = dict(_sources(written.files))
    for test in written.ids:
        found = results_of(observation, test)
        problem = _problem(test, found, observation)
        if problem:
            rejected.append(RejectedTest(test, problem))
        else:
            kept.append(ProposedTest(test, sources.get(test, ""), _text(found)))
    return ProposedTests(tuple(kept), tuple(rejected), written.files, written.author, written.reason)


async def run_tests(work: Work, step: str, files: Iterable[PatchedFile], tests: Sequence[str]) -> Observation:
    """Run some tests on the base with other contents of files.

    Args:
        step: the name in the sequence.
        files: later ones replace earlier ones.
        tests: ids without parameters.
    """
    contents = {file.path: file.text for file in files}

    async def run() -> Observation:
        return _observe(work, step, contents, tests)

    request = (work.instance.base, sorted(contents.items()), sorted(tests))
    return await work.effects.run(step, request, Observation, run)


def _observe(work: Work, step: str, contents: dict[str, str | None], tests: Sequence[str]) -> Observation:
    work.progress(f"{step}: {len(tests)} tests")
    repository = work.repository
    data = {path: None if text is None else _bytes(text) for path, text in contents.items()}
    commit = repository.commit_files(work.instance.base, data, _MESSAGE)
    run = work.project_run(commit, tests)
    return observe(
        repository, commit, tests, run.environment, _MOST_S, environ=work.environ,
        log=work.logs / f"{step}.log", isolation=run.isolation, project=run.root, is_everything=False,
    )  # fmt: skip


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def results_of(observation: Observation, test: str) -> list[ObservedTest]:
    """Return the results of a test, one for each of its parameters."""
    return [found for found in observation.tests if test in (found.id, without_parameters(found.id))]


def is_passed(observation: Observation, test: str) -> bool:
    """Return True if a test ran and passed, with all of its parameters."""
    found = results_of(observation, test)
    return bool(found) and all(result.outcome is TestOutcome.PASSED for result in found)


def _problem(test: str, results: Sequence[ObservedTest], observation: Observation) -> str:
    """Return the reason why a test shows nothing at the base; empty if it fails for a reason of the task."""
    if not results:
        return _absence(test, observation)
    failed = [result for result in results if result.outcome is TestOutcome.FAILED]
    if not failed:
        return _OUTCOMES.get(results[0].outcome, f"it is {results[0].outcome}")
    faults = [_own_fault(test, result.failure) for result in failed]
    return next(filter(None, faults), "")


def _absence(test: str, observation: Observation) -> str:
    """Return the reason why a test did not run: that of the observation, if it is about the same file."""
    path = test.partition("::")[0]
    if not observation.problem.startswith(path):
        return observation.problem or "it did not run"
    return f"it did not run{observation.problem.partition(' did not run')[2]}"


def _own_fault(test: str, failure: Failure | None) -> str:
    """Return the failure of a test in its own file that does not come from the code under test."""
    if failure is None or failure.exception not in _OWN_FAULTS:
        return ""
    path = test.partition("::")[0]
    is_own = not failure.frames or failure.frames[-1].path == path
    return f"it fails by its own fault: {failure.exception}: {failure.message}" if is_own else ""


def _text(results: Sequence[ObservedTest]) -> str:
    return next((result.failure.text for result in results if result.failure is not None), "")


def _sources(files: Iterable[PatchedFile]) -> Iterator[tuple[str, str]]:
    for file in files:
        for test in new_tests(file.path, None, file.text or ""):
            yield test.id, test.text
