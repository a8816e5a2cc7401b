"""The JavaScript part of a run of tests: its projects in turn, and what they leave for later plans."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from wardround.workflows.environments.model import Environment
from wardround.workflows.test.groups import TestGroup
from wardround.workflows.test.planning import PlannedTests
from wardround.workflows.test.project_run import ProjectResult
from wardround.workflows.test.recorded_runs import Recording
from wardround.workflows.test.script_patterns import framework_arguments
from wardround.workflows.test.script_planning import store_script_runs
from wardround.workflows.test.script_roles import is_script
from wardround.workflows.test.script_run import ScriptSandbox, ScriptTests, file_of, run_script_tests


class ScriptRuns:
    """Runs the JavaScript tests of a plan.

    Args:
        sandbox: the environment of a project -> the means to run its tests.
        deadline: on the monotonic clock.
        logs: the folder for the output.
    """

    def __init__(
        self, planned: PlannedTests, sandbox: Callable[[Environment], ScriptSandbox], deadline: float,
        logs: Path, progress: Callable[[str], None], *, is_recorded: bool,
    ) -> None:  # fmt: skip
        self._planned = planned
        self._sandbox = sandbox
        self._deadline = deadline
        self._logs = logs
        self._progress = progress
        self._is_recorded = is_recorded
        self._recordings: list[Recording] = []

    def run(self, group: TestGroup, environment: Environment, first_log: int) -> ProjectResult:
        """Run the tests of one project.

        Args:
            first_log: the number of the first log.
        """
        assert group.framework is not None
        tests = ScriptTests(
            group.root,
            group.name,
            framework_arguments(group.framework, self._planned.head),
            tuple(one.id for one in group.tests),
            is_filtered=any(is_script(one.id) for one in self._planned.plan.omitted),
            is_only=sum(one.language == "javascript" for one in self._planned.projects) == 1,
        )
        done = run_script_tests(
            self._sandbox(environment), tests, self._deadline, self._logs, first_log,
            is_recorded=self._is_recorded, progress=self._progress,
        )  # fmt: skip
        if done.recording is not None:
            self._recordings.append(done.recording)
        return ProjectResult(
            done.state, done.results, (), done.outcomes, done.detail, is_recorded=done.recording is not None
        )

    def store(self, git_dir: Path, failed: Collection[str], passed: Collection[str]) -> str:
        """Store the runs and the failures for later plans.

        Args:
            failed: ids of tests, of other languages too.
            passed: the same.

        Returns:
            A sentence if that is impossible, else an empty text.
        """
        broken = {file for one in failed if is_script(file := file_of(one))}
        sound = {file for one in passed if is_script(file := file_of(one))} - broken
        if not (self._recordings or broken or sound):
            return ""
        return store_script_runs(git_dir, self._recordings, broken, sound)
