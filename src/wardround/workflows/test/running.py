"""The run of the planned tests of a change, in the sandbox."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.config.loader import read_sandbox
from wardround.context.run_evidence import RunState, TestOutcome
from wardround.errors import EnvironmentUnavailable
from wardround.workflows.environments.lookup import environment_of, limits_of
from wardround.workflows.environments.model import Environment
from wardround.workflows.test.changed_lines import ChangedLines
from wardround.workflows.test.plan import SelectedTest
from wardround.workflows.test.planning import PlannedTests, plan_change
from wardround.workflows.test.project_run import ProjectResult, ProjectRunner, ProjectTests, RawResult
from wardround.workflows.test.projects import DetectedFramework, DetectedProject
from wardround.workflows.test.report import ProjectRun, TestReport, TestResult, UsedEnvironment
from wardround.workflows.test.run_recording import RecordedLines
from wardround.workflows.test.selection import Target, without_parameters
from wardround.workflows.test.session import Sessions
from wardround.workflows.test.tree import TreeUnderTest

_FRAMEWORKS = ("pytest", "unittest")
_LEAST_COMPLETE_FIRST = (RunState.REFUSED, RunState.FAILED, RunState.PARTIAL, RunState.COMPLETE)


class RunOptions(msgspec.Struct, frozen=True):
    """The requested run.

    Attributes:
        budget_s: elapsed time for all tests; those not reached are listed. None for the configured limit.
        isolation: ``auto``, or the name of a back end of the sandbox; None for the configured one.
        is_recorded: record the functions that each test runs, for later plans.
        compares_base: run the same tests at the base, too, for the difference of the coverage.
        finds_order: search for the earlier tests after which a test fails that passes alone.
    """

    target: Target = Target()
    budget_s: float | None = None
    isolation: str | None = None
    is_recorded: bool = True
    compares_base: bool = False
    finds_order: bool = False


def run_tests(
    repository: Repository,
    change: Change,
    options: RunOptions,
    logs: Path,
    *,
    environ: Mapping[str, str],
    ranked: Callable[[], Sequence[str]] = tuple,
    progress: Callable[[str], None] = lambda text: None,
) -> TestReport:
    """Plan and run the tests of a change at its head.

    Args:
        logs: the folder for the output of the runs.
        environ: the caller's environment.
        ranked: the ids of the tests that probably cover the change, for a repository without recorded runs.
        progress: shows the current step.

    Raises:
        UsageError: a requested test does not exist.
    """
    progress("planning the tests")
    planned = plan_change(repository, change, options.target, ranked)
    return run_planned(repository, change, planned, options, logs, environ=environ, progress=progress)


def run_planned(
    repository: Repository,
    change: Change,
    planned: PlannedTests,
    options: RunOptions,
    logs: Path,
    *,
    environ: Mapping[str, str],
    progress: Callable[[str], None] = lambda text: None,
) -> TestReport:
    """Run the tests of a plan; the arguments are those of ``run_tests``."""
    running = _Running(repository, change, planned, options, logs, environ, progress)
    return running.report()


class _Group(msgspec.Struct, frozen=True):
    """The planned tests of one project; without a project, those that nothing can run."""

    project: DetectedProject | None
    framework: DetectedFramework | None
    tests: tuple[SelectedTest, ...]


class _Running:
    """The runs of all projects of a change."""

    def __init__(
        self,
        repository: Repository,
        change: Change,
        planned: PlannedTests,
        options: RunOptions,
        logs: Path,
        environ: Mapping[str, str],
        progress: Callable[[str], None],
    ) -> None:
        self._repository = repository
        self._change = change
        self._planned = planned
        self._options = options
        self._logs = logs
        self._environ = environ
        self._progress = progress
        self._settings = read_sandbox(partial(_content, repository, planned.base))
        self._limits = limits_of(self._settings)
        self._deadline = time.monotonic() + (options.budget_s or self._limits.wall_s)
        self._changed = ChangedLines(change, planned.head)
        self._recorded = RecordedLines(planned.head)
        self._log_count = 0

    def report(self) -> TestReport:
        """Run everything and return the report."""
        runs: list[ProjectRun] = []
        tests: list[TestResult] = []
        for group in _groups(self._planned):
            run, results = self._run(group)
            runs.append(run)
            tests += results
        plan = self._planned.plan
        notes = [*plan.notes, self._recorded.store(self._repository), *_unrecorded_notes(runs)]
        worst = min(runs, key=lambda run: _LEAST_COMPLETE_FIRST.index(run.state), default=None)
        state, detail = (RunState.COMPLETE, "") if worst is None else (worst.state, worst.detail)
        if worst is None and not plan.omitted:
            state, detail = RunState.FAILED, "no tests were found, so none were run"
        is_recorded = any(run.is_recorded for run in runs)
        return TestReport(
            base="" if self._planned.base is None else self._change.base,
            head="index" if self._planned.side.startswith(":") else self._planned.side,
            state=state,
            detail=detail,
            runs=tuple(runs),
            tests=tuple(tests),
            omitted=len(plan.omitted),
            lines=self._changed.coverage(self._recorded.executed) if is_recorded else (),
            notes=tuple(filter(None, notes)),
        )

    def _run(self, group: _Group) -> tuple[ProjectRun, list[TestResult]]:
        """Run the tests of one project."""
        problem, environment = self._environment(group)
        if environment is None or group.framework is None:
            run = ProjectRun(_root(group), _name(group), RunState.REFUSED, detail=problem)
            return run, [
                _result(one.id, group, one, RawResult(TestOutcome.NOT_RUN, detail=problem))
                for one in group.tests
            ]
        result = self._runner(group, environment).result()
        self._log_count += len(result.outcomes)
        self._record(group, result)
        return self._project_run(group, environment, result), list(self._results(group, result))

    def _environment(self, group: _Group) -> tuple[str, Environment | None]:
        if group.framework is None:
            return "no file of the repository names a framework of tests for them", None
        if group.framework.name not in _FRAMEWORKS or not group.framework.command:
            return f"tests of {group.framework.name} are not run yet", None
        assert group.project is not None
        try:
            return "", environment_of(
                group.project,
                self._repository,
                self._settings,
                side=self._planned.side,
                environ=self._environ,
                progress=self._progress,
            )
        except EnvironmentUnavailable as cause:
            return str(cause), None

    def _runner(self, group: _Group, environment: Environment) -> ProjectRunner:
        sessions = Sessions(
            self._repository,
            self._planned.side,
            environment,
            self._options.isolation or self._settings.backend,
            self._limits,
            self._environ,
            self._progress,
        )
        names = {name.partition("::")[0] for name in self._options.target.names}
        tests = ProjectTests(
            _root(group),
            _name(group),
            tuple(one.id for one in group.tests),
            is_filtered=bool(self._planned.plan.omitted),
            paths=tuple(sorted(name for name in names if name.endswith(".py"))),
        )
        return ProjectRunner(
            sessions,
            tests,
            self._deadline,
            self._logs,
            self._log_count + 1,
            is_recorded=self._options.is_recorded,
        )

    def _record(self, group: _Group, result: ProjectResult) -> None:
        bounded = {test for test, one in result.results.items() if one.is_recorded}
        is_alone = len(self._planned.projects) == 1 and len(result.sessions) == 1
        is_complete = is_alone and not self._planned.plan.omitted and len(bounded) == len(result.results)
        for session in result.sessions:
            self._recorded.add(session, bounded, is_complete=is_complete)

    def _project_run(self, group: _Group, environment: Environment, result: ProjectResult) -> ProjectRun:
        assert group.framework is not None
        outcomes = result.outcomes
        return ProjectRun(
            root=_root(group),
            framework=_name(group),
            state=result.state,
            command=group.framework.command,
            command_source=group.framework.command_source,
            environment=UsedEnvironment(environment.source, environment.digest, environment.version),
            isolation=outcomes[0].backend if result.state is not RunState.REFUSED else "",
            isolation_version=outcomes[0].version if result.state is not RunState.REFUSED else "",
            detail=result.detail,
            logs=tuple(Path(one.log).name for one in outcomes if one.log),
            wall_s=round(sum(one.wall_s for one in outcomes), 3),
            cpu_s=round(sum(one.cpu_s for one in outcomes), 3),
            is_recorded=any(one.data is not None for one in result.sessions),
            unrecorded=result.unrecorded if self._options.is_recorded else "",
        )

    def _results(self, group: _Group, result: ProjectResult) -> Iterator[TestResult]:
        planned = {one.id: one for one in group.tests}
        missing = result.detail if not result.results else ""
        for test, raw in result.results.items():
            found = planned.get(test) or planned.get(without_parameters(test))
            yield _result(test, group, found, raw, self._changed.places(raw.frames))
        if missing:
            for one in group.tests:
                yield _result(one.id, group, one, RawResult(TestOutcome.NOT_RUN, detail=missing))


def _result(
    test: str, group: _Group, planned: SelectedTest | None, raw: RawResult, places: tuple[str, ...] = ()
) -> TestResult:
    return TestResult(
        id=test,
        project=_root(group),
        outcome=raw.outcome,
        cause=planned.cause if planned else None,
        reason=planned.reason if planned else "the framework has it, and all tests are run",
        seconds=round(raw.seconds, 4),
        detail=raw.detail,
        excerpt=raw.excerpt,
        places=places,
        attempts=raw.attempts,
    )


def _content(repository: Repository, base: TreeUnderTest | None, path: str) -> bytes | None:
    blob = None if base is None else base.blobs.get(path)
    return None if blob is None else repository.blobs.get(blob)


def _root(group: _Group) -> str:
    return group.project.root if group.project else ""


def _name(group: _Group) -> str:
    return group.framework.name if group.framework else ""


def _groups(planned: PlannedTests) -> list[_Group]:
    """Return the planned tests by project, a test in the innermost project that is above its file."""
    projects = sorted(
        (one for one in planned.projects if one.language == "python"), key=lambda one: -len(one.root)
    )
    found: dict[str | None, list[SelectedTest]] = {}
    for test in planned.plan.selected:
        owner = next(
            (one.root for one in projects if not one.root or test.id.startswith(f"{one.root}/")), None
        )
        found.setdefault(owner, []).append(test)
    by_root = {one.root: one for one in projects}
    groups = []
    for root, tests in found.items():
        project = None if root is None else by_root[root]
        groups.append(_Group(project, project.frameworks[0] if project else None, tuple(tests)))
    return groups


def _unrecorded_notes(runs: Sequence[ProjectRun]) -> Iterator[str]:
    for run in runs:
        if run.unrecorded:
            yield (
                f"{run.root or '.'}: no functions were recorded, because {run.unrecorded} in its environment;"
                f" with it, later plans are smaller."
            )
