"""The results at the base of tests that fail at the head: whether the change is the reason is then known."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.context.run_evidence import TestEvidence, TestOutcome, TestsRun
from wardround.workflows.test.plans.planning import tree_of
from wardround.workflows.test.plans.selection import Target
from wardround.workflows.test.recordings.shown_ids import without_parameters
from wardround.workflows.test.reports.report import TestReport
from wardround.workflows.test.runs.running import RunOptions
from wardround.workflows.test.scripts.results import file_of
from wardround.workflows.test.scripts.roles import is_script

_FAILURES = frozenset({TestOutcome.FAILED, TestOutcome.ERROR})
_KNOWN = frozenset({TestOutcome.PASSED, *_FAILURES})


class RunOfTests(Protocol):
    """Runs the requested tests of a change at its head."""

    def __call__(
        self, repository: Repository, change: Change, options: RunOptions, logs: Path, /
    ) -> TestReport: ...


def add_base_results(
    run: TestsRun, repository: Repository, change: Change, options: RunOptions, logs: Path, runner: RunOfTests
) -> TestsRun:
    """Return the run with the results at the base of the failing tests that the base has."""
    failing = {test.id for test in run.tests if test.outcome in _FAILURES}
    if not failing or change.base == repository.empty_tree:
        return run
    names = _select_base_tests(failing, repository, change.base)
    if not names:
        return run
    alone = replace(options, is_recorded=False, compares_base=False, mutation_s=None)
    requested = replace(alone, target=Target.of(names))
    report = runner(repository, replace(change, head=change.base, files=()), requested, logs)
    before = {test.id: test.outcome for test in report.tests if test.outcome in _KNOWN}
    return replace(run, tests=tuple(_add_base_result(test, before.get(test.id)) for test in run.tests))


def _select_base_tests(tests: set[str], repository: Repository, base: str) -> list[str]:
    """Return the tests that the base has, without parameters; of JavaScript their files."""
    tree = tree_of(repository, base)
    scripts = {file for test in tests if is_script(file := file_of(test))}
    others = {without_parameters(test) for test in tests if not is_script(file_of(test))}
    found = [name for name in others if name in tree.tests_in(name.partition("::")[0])]
    return sorted([*found, *(scripts & tree.blobs.keys())])


def _add_base_result(test: TestEvidence, before: TestOutcome | None) -> TestEvidence:
    return replace(test, base=before) if test.outcome in _FAILURES else test
