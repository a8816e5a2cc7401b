"""The run of the planned tests of a change, in the sandbox."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.config.loader import read_sandbox
from wardround.context.run_evidence import CoverageDelta, RunState, TestOutcome
from wardround.errors import EnvironmentUnavailable
from wardround.workflows.environments.installed_packages import installed_in
from wardround.workflows.environments.lookup import environment_of, limits_of
from wardround.workflows.environments.model import Environment
from wardround.workflows.test.plans.groups import TestGroup, groups_of
from wardround.workflows.test.plans.plan import SelectedTest
from wardround.workflows.test.plans.planning import PlannedTests, plan_change
from wardround.workflows.test.plans.selection import Target
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.changed_lines import (
    ChangedLines,
    SideLines,
    coverage_delta,
    has_product_code,
)
from wardround.workflows.test.recordings.shown_ids import (
    mask_in_log,
    shown_id,
    shown_ids,
    stored_id,
    without_parameters,
)
from wardround.workflows.test.reports.report import (
    OrderDependence,
    ProjectRun,
    TestReport,
    TestResult,
    UsedEnvironment,
)
from wardround.workflows.test.runs.missing_means import RunMeans, explain_missing_means
from wardround.workflows.test.runs.project_run import ProjectResult, ProjectRunner, ProjectTests, RawResult
from wardround.workflows.test.runs.run_recording import RecordedLines, executed_in
from wardround.workflows.test.runs.script_run import ScriptSandbox
from wardround.workflows.test.runs.script_runs import ScriptRuns
from wardround.workflows.test.runs.session import SessionRequest, Sessions, ending
from wardround.workflows.test.runs.session_events import Uncollected
from wardround.workflows.test.scripts.results import FRAMEWORKS as SCRIPT_FRAMEWORKS
from wardround.workflows.test.scripts.results import file_of
from wardround.workflows.test.scripts.roles import is_measured_script

_LEAST_COMPLETE_FIRST = (RunState.REFUSED, RunState.FAILED, RunState.PARTIAL, RunState.COMPLETE)


class RunOptions(msgspec.Struct, frozen=True):
    """The requested run.

    Attributes:
        budget_s: elapsed time for all tests; those not reached are listed. None for the configured limit.
        isolation: ``auto``, or the name of a back end of the sandbox; None for the configured one.
        is_recorded: record the functions that each test runs, for later plans.
        compares_base: run the same tests at the base, too, for the difference of the coverage.
        mutation_s: elapsed time for small edits of the changed lines, after the tests; None to try none.
        finds_order: search the earlier tests after which a test fails that passes alone.
    """

    target: Target = Target()
    budget_s: float | None = None
    isolation: str | None = None
    is_recorded: bool = True
    compares_base: bool = False
    finds_order: bool = False
    mutation_s: float | None = None


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
    report = running.report()
    if options.mutation_s is None:
        return report
    from wardround.workflows.mutation.after_tests import mutate_tested  # few runs request it
    from wardround.workflows.mutation.running import MutationOptions

    mutation = MutationOptions(options.mutation_s, isolation=options.isolation or "")
    result = mutate_tested(
        repository, change, planned, report, mutation, logs,
        environ=environ, scripts=running.scripts, progress=progress,
    )  # fmt: skip
    return msgspec.structs.replace(report, mutation=result)


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
        self._settings = read_sandbox(repository.tree(change.base).read)
        self._limits = limits_of(self._settings)
        self._deadline = time.monotonic() + (options.budget_s or self._limits.wall_s)
        self._changed = ChangedLines(change, planned.base, planned.head)
        self._recorded = RecordedLines(planned.head)
        self._scripts = ScriptRuns(
            planned, self._script_sandbox, self._deadline, logs, progress,
            is_recorded=options.is_recorded,
        )  # fmt: skip
        self._means = RunMeans(
            self._settings.loopback, lambda: repository.submodules(planned.side), lambda: planned.head.blobs
        )
        self._done: list[tuple[TestGroup, Environment | None, ProjectResult]] = []

    @property
    def scripts(self) -> ScriptRuns:
        """The JavaScript part, with the lines that its tests ran."""
        return self._scripts

    def report(self) -> TestReport:
        """Run everything and return the report."""
        for group in groups_of(self._planned):
            environment, result = self._run(group)
            self._done.append((group, environment, result))
        runs = [self._project_run(*run) for run in self._done]
        tests = [test for run in self._done for test in self._results(run[0], run[2])]
        state, detail = _worst(runs, has_tests=bool(runs or self._planned.plan.omitted))
        delta, delta_note = self._delta()
        notes = (*self._planned.plan.notes, self._store_results(tests), *_unrecorded_notes(runs), delta_note)
        has_passed = any(test.outcome in (TestOutcome.PASSED, TestOutcome.FLAKY) for test in tests)
        recorded, is_recorded = self._recorded, has_passed and any(run.is_recorded for run in runs)
        return TestReport(
            base="" if self._planned.base is None else self._change.base,
            head="index" if self._planned.side.startswith(":") else self._planned.side,
            state=state,
            detail=detail,
            runs=tuple(runs),
            tests=tuple(tests),
            omitted=len(self._planned.plan.omitted),
            lines=self._changed.coverage(recorded.executed, recorded.branches, self._scripts.lines)
            if is_recorded
            else (),
            delta=delta,
            order=tuple(self._orders()),
            notes=tuple(dict.fromkeys(filter(None, notes))),
        )

    def _orders(self) -> Iterator[OrderDependence]:
        for _, _, result in self._done:
            for order in result.order:
                yield OrderDependence(shown_id(order.id), tuple(map(shown_id, order.after)))

    def _store_results(self, tests: Sequence[TestResult]) -> str:
        """Store the results that later plans need; return a sentence if that failed."""
        failed = {
            stored_id(test.id) for test in tests if test.outcome in (TestOutcome.FAILED, TestOutcome.ERROR)
        }
        sound = (test for test in tests if test.outcome in (TestOutcome.PASSED, TestOutcome.FLAKY))
        passed = {stored_id(test.id) for test in sound} - failed
        projects = self._planned.projects
        installed = installed_in(self._repository, self._change.base, projects, self._environ) or {}
        problem = self._recorded.store(self._repository, sorted(failed), sorted(passed), installed)
        return problem or self._scripts.store(self._repository.git_dir, sorted(failed), sorted(passed))

    def _run(self, group: TestGroup) -> tuple[Environment | None, ProjectResult]:
        """Run the tests of one project."""
        problem, environment = group.objection, None
        if group.project is not None and not problem:
            try:
                environment = environment_of(
                    group.project, self._repository, self._settings,
                    side=self._planned.side, environ=self._environ, progress=self._progress,
                )  # fmt: skip
            except EnvironmentUnavailable as cause:
                problem = str(cause)
        if environment is None:
            return None, ProjectResult(RunState.REFUSED, {}, (), (), problem)
        result = self._result_of_group(group, environment)
        shown = shown_ids(result.results)
        for outcome in filter(None, (run.log for run in result.outcomes)):
            mask_in_log(Path(outcome), shown)
        return environment, explain_missing_means(result, self._means)

    def _result_of_group(self, group: TestGroup, environment: Environment) -> ProjectResult:
        if group.is_script:
            result = self._scripts.run(group, environment, self._next_log())
        else:
            result = self._runner(group, environment).result()
            self._record(result)
        return result

    def _next_log(self) -> int:
        return 1 + sum(len(result.outcomes) for _, _, result in self._done)

    def _script_sandbox(self, environment: Environment) -> ScriptSandbox:
        return ScriptSandbox(
            self._repository, self._planned.side, self._planned.head, environment,
            self._options.isolation or self._settings.backend, self._environ, self._limits,
            self._changed.measured_scripts,
        )  # fmt: skip

    def _base_sandbox(self, environment: Environment, base: TreeUnderTest) -> ScriptSandbox:
        paths = {file.base_path for file in self._change.files if file.base_path is not None}
        return msgspec.structs.replace(
            self._script_sandbox(environment),
            side=self._change.base,
            files=base,
            measured=tuple(sorted(path for path in paths if is_measured_script(path))),
        )

    def _sessions(self, environment: Environment, side: str) -> Sessions:
        return Sessions(
            self._repository, side, environment, self._options.isolation or self._settings.backend,
            self._limits, self._environ, self._progress, self._changed.measured,
        )  # fmt: skip

    def _runner(self, group: TestGroup, environment: Environment) -> ProjectRunner:
        names = {name.partition("::")[0] for name in self._options.target.names}
        tests = ProjectTests(
            group.root,
            group.name,
            tuple(test.id for test in group.tests),
            is_filtered=bool(self._planned.plan.omitted),
            paths=tuple(sorted(name for name in names if name.endswith(".py"))),
            partial=frozenset(test.id.partition("::")[0] for test in self._planned.plan.omitted),
        )
        return ProjectRunner(
            self._sessions(environment, self._planned.side),
            tests,
            self._deadline,
            self._logs,
            self._next_log(),
            is_recorded=self._options.is_recorded,
            finds_order=self._options.finds_order,
        )

    def _record(self, result: ProjectResult) -> None:
        unbounded = {stored_id(test) for test, raw in result.results.items() if not raw.is_recorded}
        bounded = {stored_id(test) for test, raw in result.results.items() if raw.is_recorded} - unbounded
        is_alone = len(self._planned.projects) == 1 and len(result.sessions) == 1
        is_complete = is_alone and not self._planned.plan.omitted and not unbounded
        for session in result.sessions:
            self._recorded.add(session, bounded, is_complete=is_complete)

    def _delta(self) -> tuple[tuple[CoverageDelta, ...], str]:
        """Run the same tests at the base, if requested; return the difference, or a sentence why not."""
        base = self._planned.base
        if not self._options.compares_base or base is None or not has_product_code(self._change):
            return (), ""
        executed: dict[str, int] = {}
        scripts = self._scripts.empty(base)
        for group, environment, result in self._done:
            if environment is None:
                continue
            problem = ""
            if group.is_script and result.is_recorded:
                sandbox = self._base_sandbox(environment, base)
                problem = self._scripts.run_base(group, sandbox, self._next_log(), scripts)
            elif any(session.data for session in result.sessions):
                problem = self._run_base(group, environment, result, executed)
            if problem:
                return (), f"The coverage before the change is not known: {problem}."
        if not executed and scripts.is_empty:
            return (), "The coverage before the change is not known: nothing was recorded."
        before = SideLines(base, executed, scripts)
        after = SideLines(self._planned.head, self._recorded.executed, self._scripts.lines)
        return coverage_delta(self._change, before, after), ""

    def _run_base(
        self, group: TestGroup, environment: Environment, result: ProjectResult, executed: dict[str, int]
    ) -> str:
        """Run the tests of a project at the base and add their lines; return the reason if that failed."""
        assert self._planned.base is not None
        left = self._deadline - time.monotonic()
        if left < 1:
            return "the time budget ended"
        tests = tuple(test for test, raw in result.results.items() if raw.outcome is not TestOutcome.NOT_RUN)
        request = SessionRequest(
            group.name, group.root, tests, left, left, is_recorded=True, left_out=result.left_out
        )
        log = self._logs / f"test-{group.name}-base{group.root and '-' + group.root.replace('/', '-')}.log"
        done = self._sessions(environment, self._change.base).run(request, log)
        if not done.is_complete:
            return f"its tests did not run to the end, as {ending(done.outcome)}"
        if missed := sorted(event.path for event in done.events if isinstance(event, Uncollected)):
            return f"its tests could not all be collected there, as {missed[0] or 'those of all folders'}"
        for path, lines in executed_in(done, self._planned.base).items():
            executed[path] = executed.get(path, 0) | lines
        return ""

    def _project_run(
        self, group: TestGroup, environment: Environment | None, result: ProjectResult
    ) -> ProjectRun:
        outcomes, framework = result.outcomes, group.framework
        is_recorded = result.is_recorded or any(session.data is not None for session in result.sessions)
        run = ProjectRun(
            root=group.root,
            framework=group.name,
            state=result.state,
            command=framework.command if framework else (),
            command_source=framework.command_source if framework else None,
            environment=None if environment is None else _used_environment(environment, result),
            detail=result.detail,
            logs=tuple(Path(outcome.log).name for outcome in outcomes if outcome.log),
            wall_s=round(sum(outcome.wall_s for outcome in outcomes), 3),
            cpu_s=round(sum(outcome.cpu_s for outcome in outcomes), 3),
            is_recorded=is_recorded,
            unrecorded=result.unrecorded if self._options.is_recorded else "",
        )
        if not outcomes or result.state is RunState.REFUSED:
            return run
        first = outcomes[0]
        return msgspec.structs.replace(run, isolation=first.backend, isolation_version=first.version)

    def _results(self, group: TestGroup, result: ProjectResult) -> Iterator[TestResult]:
        planned = {test.id: test for test in group.tests}
        shown = shown_ids(result.results)
        for test, raw in result.results.items():
            found = planned.get(test) or planned.get(without_parameters(test)) or planned.get(file_of(test))
            yield _result(shown[test], group.root, found, raw, self._changed.places(raw.frames))
        if not result.results:
            for selected in group.tests:
                raw = RawResult(TestOutcome.NOT_RUN, detail=result.detail)
                yield _result(shown_id(selected.id), group.root, selected, raw)


def _result(
    test: str, project: str, planned: SelectedTest | None, raw: RawResult, places: tuple[str, ...] = ()
) -> TestResult:
    return TestResult(
        id=test,
        project=project,
        outcome=raw.outcome,
        cause=planned.cause if planned else None,
        reason=planned.reason if planned else "the framework has it, and all tests are run",
        seconds=round(raw.seconds, 4),
        detail=raw.detail,
        excerpt=raw.excerpt,
        places=places,
        attempts=raw.attempts,
    )


def _worst(runs: Sequence[ProjectRun], *, has_tests: bool) -> tuple[RunState, str]:
    """Return the state of the least complete run, and its detail."""
    if not has_tests:
        return RunState.FAILED, "no tests were found, so none were run"
    worst = min(runs, key=lambda run: _LEAST_COMPLETE_FIRST.index(run.state), default=None)
    return (RunState.COMPLETE, "") if worst is None else (worst.state, worst.detail)


def _used_environment(environment: Environment, result: ProjectResult) -> UsedEnvironment:
    supplied = dict.fromkeys((*environment.supplied, *result.supplied))
    return UsedEnvironment(environment.source, environment.digest, environment.version, tuple(supplied))


def _unrecorded_notes(runs: Sequence[ProjectRun]) -> Iterator[str]:
    for run in runs:
        if run.unrecorded:
            is_script = run.framework in SCRIPT_FRAMEWORKS
            advice = "" if is_script else " in its environment; with it, later plans are smaller"
            yield f"{run.root or '.'}: no functions were recorded, because {run.unrecorded}{advice}."
