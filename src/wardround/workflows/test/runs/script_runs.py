"""The JavaScript part of a run of tests: its projects in turn, and the recordings for later plans."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import msgspec

from wardround.context.run_evidence import RunState
from wardround.workflows.environments.model import Environment
from wardround.workflows.test.plans.groups import TestGroup
from wardround.workflows.test.plans.planning import PlannedTests
from wardround.workflows.test.plans.script_patterns import framework_arguments
from wardround.workflows.test.plans.script_planning import store_script_runs
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.recorded_runs import Recording
from wardround.workflows.test.recordings.script_lines import ScriptLines
from wardround.workflows.test.runs.project_run import ProjectResult, RawResult
from wardround.workflows.test.runs.script_run import ScriptSandbox, ScriptTests, run_script_tests
from wardround.workflows.test.scripts.results import file_of
from wardround.workflows.test.scripts.roles import is_script


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
        self._ran: dict[str, tuple[TestGroup, Environment]] = {}
        self.lines = ScriptLines(planned.head, _roots(planned))

    def run(self, group: TestGroup, environment: Environment, first_log: int) -> ProjectResult:
        """Run the tests of one project.

        Args:
            first_log: the number of the first log.
        """
        tests = self._tests(group, self._planned.head)
        self._ran[group.root] = group, environment
        done = run_script_tests(
            self._sandbox(environment), tests, self._deadline, self._logs, first_log,
            is_recorded=self._is_recorded, progress=self._progress,
        )  # fmt: skip
        if done.recording is not None:
            self._recordings.append(done.recording)
        if done.lines is not None:
            is_complete = done.state is RunState.COMPLETE
            self.lines.add(
                group.root, msgspec.structs.replace(done.lines, is_all=done.lines.is_all and is_complete)
            )
        results = self._planned_results(group, done.results)
        return ProjectResult(
            done.state, results, (), done.outcomes, done.detail, done.unrecorded,
            is_recorded=done.recording is not None,
        )  # fmt: skip

    def _planned_results(self, group: TestGroup, results: Mapping[str, RawResult]) -> Mapping[str, RawResult]:
        """Exclude the results of files that are planned for another project, which runs them, too."""
        planned = {test.id for test in self._planned.plan.selected} - {test.id for test in group.tests}
        return {test: result for test, result in results.items() if file_of(test) not in planned}

    def tests_in(self, root: str, files: Collection[str]) -> tuple[Environment, ScriptTests] | None:
        """Return the environment and the tests of a project that ran, only those in these files."""
        found = self._ran.get(root)
        if found is None:
            return None
        group, environment = found
        tests = self._tests(group, self._planned.head)
        return environment, msgspec.structs.replace(
            tests, files=tuple(file for file in tests.files if file in files)
        )

    def sandbox(self, environment: Environment) -> ScriptSandbox:
        """Return the means to run tests at the head."""
        return self._sandbox(environment)

    def empty(self, tree: TreeUnderTest) -> ScriptLines:
        """Return an empty record of the lines that tests run in a tree."""
        return ScriptLines(tree, _roots(self._planned))

    def run_base(self, group: TestGroup, sandbox: ScriptSandbox, first_log: int, lines: ScriptLines) -> str:
        """Run the test files of a project that exist before the change, and add the lines that ran.

        Args:
            sandbox: holds the files of the base commit.
            first_log: the number of the first log.

        Returns:
            The reason, as a clause, if that failed.
        """
        tests = self._tests(group, sandbox.files)
        if not tests.files:
            return ""
        done = run_script_tests(
            sandbox, tests, self._deadline, self._logs, first_log, is_recorded=True, progress=self._progress
        )
        if done.state is not RunState.COMPLETE or done.lines is None:
            return done.detail or "nothing was recorded"
        lines.add(group.root, done.lines)
        return ""

    def _tests(self, group: TestGroup, tree: TreeUnderTest) -> ScriptTests:
        """Return the tests of a project that exist in a tree."""
        assert group.framework is not None
        return ScriptTests(
            group.root,
            group.name,
            framework_arguments(group.framework, tree),
            tuple(test.id for test in group.tests if test.id in tree.blobs),
            is_filtered=any(is_script(test.id) for test in self._planned.plan.omitted)
            or self._has_nested(group),
            is_only=len(_roots(self._planned)) == 1,
        )

    def _has_nested(self, group: TestGroup) -> bool:
        """Return True if a folder below has a project that runs its own tests."""
        folder = f"{group.root}/" if group.root else ""
        return any(root != group.root and root.startswith(folder) for root in _roots(self._planned))

    def store(self, git_dir: Path, failed: Collection[str], passed: Collection[str]) -> str:
        """Store the runs and the failures for later plans.

        Args:
            failed: ids of tests, of other languages too.
            passed: the same.

        Returns:
            A sentence if that is impossible, else an empty text.
        """
        broken = {file for test in failed if is_script(file := file_of(test))}
        sound = {file for test in passed if is_script(file := file_of(test))} - broken
        if not (self._recordings or broken or sound):
            return ""
        return store_script_runs(git_dir, self._recordings, broken, sound)


def _roots(planned: PlannedTests) -> list[str]:
    """Return the folders of the projects whose own command runs their tests."""
    return [
        project.root
        for project in planned.projects
        if project.language == "javascript" and project.run_from is None
    ]
