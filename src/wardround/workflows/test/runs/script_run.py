"""The run of planned files of JavaScript tests in the sandbox: files in, results and a recording out."""

from __future__ import annotations

import os
import posixpath
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from wardround.change.repository import Repository
from wardround.context.run_evidence import RunState, TestOutcome
from wardround.sandbox.choices import NONE
from wardround.sandbox.model import Limits, Outcome, State
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree
from wardround.sandbox.visible import INNER_ROOT
from wardround.workflows.environments.model import Environment, link_packages
from wardround.workflows.test.project.script_arguments import ScriptArguments
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.recorded_runs import Recording
from wardround.workflows.test.recordings.script_recording import (
    MOST_BYTES,
    MeasuredScripts,
    read_script_lines,
    read_script_recording,
)
from wardround.workflows.test.runs.project_run import RawResult, named_error
from wardround.workflows.test.runs.script_commands import (
    MEASURED,
    ONE_FILE_EACH,
    RECORDS,
    RUNTIME,
    ScriptCommand,
    script_commands,
)
from wardround.workflows.test.runs.script_repetition import (
    FAILURES,
    add_recorded_repetition,
    add_repetition,
    files_with,
    results_by_id,
)
from wardround.workflows.test.runs.session import ending
from wardround.workflows.test.scripts.results import ReportUnreadable, ScriptResult, read_results

_FOLDER = ".wardround-run"
_RUNTIME = Path(__file__).with_name("script_runtime")
_LEAST_S = 1.0
_IN_FOLDER = ("sh", "-c", 'cd "$0" && exec "$@"')


class ScriptTests(msgspec.Struct, frozen=True):
    """The planned tests of a project.

    Attributes:
        root: the folder of the project, relative to the repository.
        framework: one of ``script_results.FRAMEWORKS``.
        arguments: the command line arguments with which the project starts it.
        files: in the order of the plan, relative to the repository.
        is_filtered: run these files alone; otherwise all that the settings of the project choose.
        is_only: no other project of the repository has JavaScript tests.
    """

    root: str
    framework: str
    arguments: ScriptArguments
    files: tuple[str, ...]
    is_filtered: bool
    is_only: bool = False


class ScriptRun(msgspec.Struct, frozen=True):
    """The results of the tests of a project.

    Attributes:
        results: id -> the result; a file without any has a result itself.
        recording: the runs of files whose tests all passed; None if nothing was recorded.
        detail: one sentence unless the state is ``complete``.
        lines: lines of the measured scripts; None if nothing was recorded.
        unrecorded: the reason why nothing was recorded, as a clause, if it was requested.
    """

    state: RunState
    results: Mapping[str, RawResult]
    recording: Recording | None
    outcomes: tuple[Outcome, ...]
    detail: str = ""
    lines: MeasuredScripts | None = None
    unrecorded: str = ""


class ScriptSandbox(msgspec.Struct, frozen=True):
    """The resources for running tests on the repository at base or head.

    Attributes:
        side: a commit, or the index.
        files: the files of that revision.
        limits: resource limits of one command; its elapsed time is at most the rest of the budget.
        measured: the paths of the scripts whose lines are recorded.
    """

    repository: Repository
    side: str
    files: TreeUnderTest
    environment: Environment
    isolation: str
    environ: Mapping[str, str]
    limits: Limits = Limits()
    measured: tuple[str, ...] = ()


def run_script_tests(
    sandbox: ScriptSandbox,
    tests: ScriptTests,
    deadline: float,
    logs: Path,
    first_log: int,
    *,
    is_recorded: bool,
    progress: Callable[[str], None] = lambda text: None,
) -> ScriptRun:
    """Run test files, and those that fail once more.

    Args:
        deadline: on the monotonic clock.
        logs: the folder for the output, in files ``test-FRAMEWORK-N.log``.
        first_log: the number of the first log.
    """
    running = _Running(sandbox, tests, deadline, logs, first_log, progress)
    return running.result(is_recorded=is_recorded)


def run_script_files(
    sandbox: ScriptSandbox, tests: ScriptTests, deadline: float, log: Path
) -> tuple[tuple[ScriptResult, ...], str]:
    """Run test files once; return the results, and a sentence if some are missing.

    Args:
        deadline: on the monotonic clock.
        log: the file for the output, which is replaced.
    """
    done = _Running(sandbox, tests, deadline, log.parent, 0, lambda text: None, log=log).once()
    return done.results, done.problem


class EditedRun(msgspec.Struct, frozen=True):
    """The end of a run of test files on an edited tree.

    Attributes:
        is_sound: all tests passed, and the command ended without an error.
        is_cut_off: the time ended first.
        problem: one sentence if results are missing.
    """

    is_sound: bool
    is_cut_off: bool
    problem: str


def run_edited(
    sandbox: ScriptSandbox, tests: ScriptTests, edited: Mapping[str, str], deadline: float, log: Path
) -> EditedRun:
    """Run test files once, without a record, after some files were replaced.

    Args:
        edited: path of a regular file of the tree -> its text.
        deadline: on the monotonic clock.
        log: the file for the output, which is replaced.
    """
    running = _Running(sandbox, tests, deadline, log.parent, 0, lambda text: None, edited, log)
    done = running.once()
    is_failed = any(result.outcome in FAILURES for result in done.results)
    is_ended = all(outcome.state is State.FINISHED and outcome.status == 0 for outcome in done.outcomes)
    is_cut_off = any(outcome.state is State.TIMED_OUT for outcome in done.outcomes)
    return EditedRun(bool(done.results) and is_ended and not is_failed, is_cut_off, done.problem)


class _Attempt(msgspec.Struct, frozen=True):
    """One run of test files.

    Attributes:
        problem: one sentence if results are missing, or do not explain the end of a command.
    """

    results: tuple[ScriptResult, ...]
    recording: Recording | None
    outcomes: tuple[Outcome, ...]
    problem: str
    lines: MeasuredScripts | None = None


class _Running:
    def __init__(
        self, sandbox: ScriptSandbox, tests: ScriptTests, deadline: float, logs: Path, first_log: int,
        progress: Callable[[str], None], edited: Mapping[str, str] | None = None, log: Path | None = None,
    ) -> None:  # fmt: skip
        self._edited = edited or {}
        self._log = log
        self._sandbox = sandbox
        self._tests = tests
        self._deadline = deadline
        self._logs = logs
        self._next_log = first_log
        self._progress = progress

    def result(self, *, is_recorded: bool) -> ScriptRun:
        is_named = self._tests.is_filtered or self._tests.framework in ONE_FILE_EACH
        files = self._tests.files if is_named else ()
        first, unrecorded = self._first(files, is_recorded=is_recorded)
        if first.outcomes and first.outcomes[-1].state is State.REFUSED:
            return self._without_results(RunState.REFUSED, first)
        if not first.results:
            return self._without_results(RunState.FAILED, first)
        results = results_by_id(first.results)
        again = self._rerun_failed_files(results, is_recorded=is_recorded and not unrecorded)
        results |= self._missing_results(first)
        detail = "" if _explains_problem(results) else first.problem
        return ScriptRun(
            RunState.PARTIAL if detail else RunState.COMPLETE,
            results,
            first.recording,
            (*first.outcomes, *again),
            detail,
            first.lines,
            unrecorded,
        )

    def _first(self, files: Sequence[str], *, is_recorded: bool) -> tuple[_Attempt, str]:
        """Run the files; without the recording if the framework does not run with it, and the reason then."""
        first = self._run_attempt(files, is_recorded=is_recorded)
        is_ended = bool(first.outcomes) and first.outcomes[-1].state is State.FINISHED
        if not is_recorded or first.results or not is_ended or self._remaining_s() < _LEAST_S:
            return first, ""
        plain = self._run_attempt(files, is_recorded=False)
        joined = msgspec.structs.replace(plain, outcomes=(*first.outcomes, *plain.outcomes))
        if not plain.results:
            return joined, ""
        return joined, f"{self._tests.framework} does not run with the recorder ({first.problem})"

    def _remaining_s(self) -> float:
        return self._deadline - time.monotonic()

    def once(self) -> _Attempt:
        """Run the files once, without a record."""
        return self._run_attempt(self._tests.files, is_recorded=False)

    def _missing_results(self, attempt: _Attempt) -> dict[str, RawResult]:
        """Return a result for each planned file without one."""
        ran = {result.file for result in attempt.results}
        missing = [test for test in self._tests.files if test not in ran]
        if attempt.problem:
            return dict.fromkeys(missing, RawResult(TestOutcome.NOT_RUN, detail=attempt.problem))
        detail = f"{self._tests.framework} does not collect it as the project configures it"
        return dict.fromkeys(missing, RawResult(TestOutcome.SKIPPED, detail=detail))

    def _without_results(self, state: RunState, attempt: _Attempt) -> ScriptRun:
        detail = attempt.problem or f"{self._tests.framework} ran no tests"
        results = {file: RawResult(TestOutcome.NOT_RUN, detail=detail) for file in self._tests.files}
        return ScriptRun(state, results, None, attempt.outcomes, detail)

    def _rerun_failed_files(self, results: dict[str, RawResult], *, is_recorded: bool) -> tuple[Outcome, ...]:
        """Run the files of failed tests once more, and mark those tests as flaky that pass.

        Flaky tests run again with the recording, to tell those that only the recording breaks.
        """
        files = files_with(results, *FAILURES)
        if not files or self._remaining_s() < _LEAST_S:
            return ()
        again = self._run_attempt(files, is_recorded=False)
        add_repetition(results, again.results)
        flaky = files_with(results, TestOutcome.FLAKY)
        if not is_recorded or not flaky or self._remaining_s() < _LEAST_S:
            return again.outcomes
        third = self._run_attempt(flaky, is_recorded=True)
        add_recorded_repetition(results, third.results)
        return (*again.outcomes, *third.outcomes)

    def _run_attempt(self, files: Sequence[str], *, is_recorded: bool) -> _Attempt:
        sandbox = self._sandbox
        self._progress(f"{len(files) or 'all'} files of tests with {self._tests.framework}")
        with EphemeralTree(sandbox.repository, sandbox.side) as tree:
            root = str(tree.root) if sandbox.isolation == NONE else INNER_ROOT
            link_packages(_place_environment(root, sandbox.environment), tree.root)
            _prepare(tree.root, sandbox.measured)
            for path, text in self._edited.items():
                (tree.root / path).write_text(text, "utf-8", newline="")
            relative = tuple(posixpath.relpath(file, self._tests.root or ".") for file in files)
            commands = script_commands(
                self._tests.framework, self._tests.arguments, relative, f"{root}/{_FOLDER}",
                root=root, project=self._tests.root, is_recorded=is_recorded,
            )  # fmt: skip
            results: list[ScriptResult] = []
            outcomes: list[Outcome] = []
            problems: list[str] = []
            for command in commands:
                outcome = self._start(tree, root, command)
                outcomes.append(outcome)
                found, problem = self._read(tree, root, command, outcome)
                results += found
                problems += [problem] if problem else []
                if outcome.state is State.REFUSED:
                    break
            is_complete = self._tests.is_only and not files and not problems
            recording = self._build_recording(tree, results, is_complete=is_complete) if is_recorded else None
            lines = self._lines(tree, results, is_sound=not problems) if is_recorded else None
        return _Attempt(tuple(results), recording, tuple(outcomes), problems[0] if problems else "", lines)

    def _start(self, tree: EphemeralTree, root: str, command: ScriptCommand) -> Outcome:
        sandbox = self._sandbox
        visible = sandbox.environment.visible
        view = msgspec.structs.replace(visible, variables=(*visible.variables, *command.variables))
        left = max(self._deadline - time.monotonic(), _LEAST_S)
        limits = msgspec.structs.replace(sandbox.limits, wall_s=min(left, sandbox.limits.wall_s))
        log = self._log or self._logs / f"test-{self._tests.framework.replace(':', '-')}-{self._next_log}.log"
        self._next_log += 1
        return run(
            [*_IN_FOLDER, os.path.join(root, self._tests.root), *command.arguments], tree, limits,
            log=log, visible=view, isolation=sandbox.isolation, environ=sandbox.environ,
        )  # fmt: skip

    def _read(
        self, tree: EphemeralTree, root: str, command: ScriptCommand, outcome: Outcome
    ) -> tuple[tuple[ScriptResult, ...], str]:
        """Return the results of a command, and a sentence if they do not explain its end."""
        if outcome.state is State.REFUSED:
            return (), outcome.detail
        try:
            content = tree.read(f"{_FOLDER}/{command.report}", MOST_BYTES)
            found = read_results(self._tests.framework, content, root)
        except ReportUnreadable as cause:
            error = named_error(outcome.stderr) or named_error(outcome.stdout)
            return (), f"{cause}: {_ending_with(outcome, error)}"
        if not found:
            return (), f"{self._tests.framework} ran no tests, and {ending(outcome)}"
        is_failed = any(result.outcome in FAILURES for result in found)
        if outcome.state is not State.FINISHED or (outcome.status != 0 and not is_failed):
            return found, f"no test failed, but {_ending_with(outcome, named_error(outcome.stderr))}"
        return found, ""

    def _build_recording(
        self, tree: EphemeralTree, results: Sequence[ScriptResult], *, is_complete: bool
    ) -> Recording | None:
        failed = {result.file for result in results if result.outcome in (*FAILURES, TestOutcome.NOT_RUN)}
        files = sorted({result.file for result in results} - failed)
        found = read_script_recording(
            files,
            _records(tree),
            self._sandbox.files,
            is_complete=is_complete,
        )
        return found if found.runs else None

    def _lines(
        self, tree: EphemeralTree, results: Sequence[ScriptResult], *, is_sound: bool
    ) -> MeasuredScripts:
        """Return the lines that all test files ran, those with failures too."""
        ran = {result.file for result in results if result.outcome is not TestOutcome.SKIPPED}
        found = read_script_lines(ran, _records(tree), self._sandbox.files)
        return msgspec.structs.replace(found, is_all=found.is_all and is_sound)


def _ending_with(outcome: Outcome, error: str) -> str:
    """Return how a command ended, with the error that it names."""
    return f"{ending(outcome)}: {error}" if error else ending(outcome)


def _explains_problem(results: Mapping[str, RawResult]) -> bool:
    """Return True if every test ran, and one that fails explains the end of the command."""
    outcomes = {result.outcome for result in results.values()}
    return TestOutcome.NOT_RUN not in outcomes and not outcomes.isdisjoint((*FAILURES, TestOutcome.FLAKY))


def _records(tree: EphemeralTree) -> Callable[[str], bytes | None]:
    return lambda name: tree.read(f"{_FOLDER}/{RECORDS}/{name}", MOST_BYTES)


def _place_environment(root: str, environment: Environment) -> Environment:
    """Return an environment whose links lead into the real path of the tree."""
    links = tuple(_move_links(root, environment.links))
    return msgspec.structs.replace(environment, links=links)


def _move_links(root: str, links: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for path, target in links:
        is_inside = target == INNER_ROOT or target.startswith(f"{INNER_ROOT}/")
        yield path, f"{root}{target[len(INNER_ROOT) :]}" if is_inside else target


def _prepare(tree: Path, measured: Sequence[str]) -> None:
    """Make the folder of the run in a tree, before anything of the tree runs."""
    folder = tree / _FOLDER
    folder.mkdir()
    (folder / RECORDS).mkdir()
    (folder / MEASURED).write_bytes(msgspec.json.encode(measured))
    for name in RUNTIME:
        shutil.copyfile(_RUNTIME / name, folder / name)
