"""The mutation of a change after its tests ran: each project with the tests that passed in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.config.loader import read_sandbox
from wardround.context.run_evidence import RunState, TestOutcome
from wardround.errors import EnvironmentUnavailable
from wardround.workflows.environments.lookup import environment_of
from wardround.workflows.mutation.result import MutationResult
from wardround.workflows.mutation.running import MutationOptions, mutate_change
from wardround.workflows.mutation.script_running import ScriptMutation
from wardround.workflows.test.plans.planning import PlannedTests
from wardround.workflows.test.project.projects import DetectedProject
from wardround.workflows.test.recordings.shown_ids import stored_id
from wardround.workflows.test.reports.report import TestReport
from wardround.workflows.test.runs.script_runs import ScriptRuns
from wardround.workflows.test.scripts.results import FRAMEWORKS, file_of

_SOUND = (TestOutcome.PASSED, TestOutcome.SKIPPED)
_STATES = (RunState.REFUSED, RunState.FAILED, RunState.PARTIAL, RunState.COMPLETE)
_NO_TESTS = "no mutant was tried, as no test of pytest or JavaScript passed"


def mutate_tested(
    repository: Repository,
    change: Change,
    planned: PlannedTests,
    report: TestReport,
    options: MutationOptions,
    logs: Path,
    *,
    environ: Mapping[str, str],
    scripts: ScriptRuns,
    progress: Callable[[str], None] = lambda text: None,
) -> MutationResult:
    """Try mutants of the changed lines with the tests that passed; the budget is that of all projects.

    Args:
        options: without an isolation, it is the configured one.
        logs: the folder for the output of the first run of each project.
        scripts: the JavaScript tests that ran.

    Raises:
        GitError: the tree cannot be written.
    """
    settings = read_sandbox(repository.tree(change.base).read)
    deadline = time.monotonic() + options.budget_s
    results = []
    for project, tests in _tested_projects(planned, report):
        try:
            environment = environment_of(project, repository, settings, side=planned.side, environ=environ)
        except EnvironmentUnavailable as cause:
            results.append(MutationResult(RunState.REFUSED, detail=str(cause)))
            continue
        rest = msgspec.structs.replace(
            options,
            budget_s=max(deadline - time.monotonic(), 1.0),
            isolation=options.isolation or settings.backend,
        )
        name = f"test-mutation-{project.root.replace('/', '-')}.log" if project.root else "test-mutation.log"
        results.append(
            mutate_change(
                repository, change, planned.side, tests, environment, rest, logs / name,
                environ=environ, project=project.root, progress=progress,
            )
        )  # fmt: skip
    for root in sorted({run.root for run in report.runs if run.framework in FRAMEWORKS}):
        found = _script_result(change, report, scripts, root, deadline, options.most, logs, progress)
        results += [] if found is None else [found]
    return _join_results(results)


def _script_result(
    change: Change, report: TestReport, scripts: ScriptRuns, root: str, deadline: float, most: int,
    logs: Path, progress: Callable[[str], None],
) -> MutationResult | None:  # fmt: skip
    """Try mutants of scripts with the test files of a project that passed; None if there are none."""
    own = [test for test in report.tests if test.project == root]
    broken = {file_of(test.id) for test in own if test.outcome not in _SOUND}
    sound = {file_of(test.id) for test in own if test.outcome is TestOutcome.PASSED} - broken
    found = scripts.tests_in(root, sound)
    if found is None or not found[1].files:
        return None
    environment, tests = found
    name = f"test-mutation-{tests.framework.replace(':', '-')}{root and '-' + root.replace('/', '-')}.log"
    mutation = ScriptMutation(
        scripts.sandbox(environment), tests, scripts.lines, deadline, logs / name, progress
    )
    return mutation.result(change, most)


def _tested_projects(
    planned: PlannedTests, report: TestReport
) -> Iterator[tuple[DetectedProject, list[str]]]:
    """Yield the projects with their tests that passed with pytest."""
    projects = {project.root: project for project in planned.projects if project.language == "python"}
    for run in report.runs:
        passed = [
            stored_id(test.id)
            for test in report.tests
            if test.project == run.root and test.outcome is TestOutcome.PASSED
        ]
        if run.framework == "pytest" and passed and run.root in projects:
            yield projects[run.root], passed


def _join_results(results: Iterable[MutationResult]) -> MutationResult:
    """Return the results of all projects as one, in the least complete state."""
    found = sorted(results, key=lambda result: _STATES.index(result.state))
    if not found:
        return MutationResult(RunState.FAILED, detail=_NO_TESTS)
    tried = tuple(mutant for result in found for mutant in result.tried)
    return MutationResult(found[0].state, tried, max(result.possible for result in found), found[0].detail)
