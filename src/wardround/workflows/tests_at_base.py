"""The results at the base of tests that fail at the head: whether the change is the reason is then known."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.context.run_evidence import TestEvidence, TestOutcome, TestsRun
from wardround.workflows.test.planning import tree_of
from wardround.workflows.test.report import TestReport
from wardround.workflows.test.running import RunOptions
from wardround.workflows.test.script_results import file_of
from wardround.workflows.test.script_roles import is_script
from wardround.workflows.test.selection import Target
from wardround.workflows.test.shown_ids import without_parameters

_FAILURES = frozenset({TestOutcome.FAILED, TestOutcome.ERROR})
_KNOWN = frozenset({TestOutcome.PASSED, *_FAILURES})


class RunOfTests(Protocol):
    """Runs the requested tests of a change at its head."""

    def __call__(
        self, repository: Repository, change: Change, options: RunOptions, logs: Path, /
    ) -> TestReport: ...


def with_results_at_base(
    run: TestsRun, repository: Repository, change: Change, options: RunOptions, logs: Path, runner: RunOfTests
) -> TestsRun:
    """Return the run with the results at the base of the failing tests that the base has."""
    failing = {one.id for one in run.tests if one.outcome in _FAILURES}
    if not failing or change.base == repository.empty_tree:
        return run
    names = _at_base(failing, repository, change.base)
    if not names:
        return run
    alone = replace(options, is_recorded=False, compares_base=False, mutation_s=None)
    requested = replace(alone, target=Target.of(names))
    report = runner(repository, replace(change, head=change.base, files=()), requested, logs)
    before = {one.id: one.outcome for one in report.tests if one.outcome in _KNOWN}
    return replace(run, tests=tuple(_with_base(one, before.get(one.id)) for one in run.tests))


def _at_base(tests: set[str], repository: Repository, base: str) -> list[str]:
    """Return the tests that the base has, without parameters; of JavaScript their files."""
    tree = tree_of(repository, base)
    scripts = {file for test in tests if is_script(file := file_of(test))}
    others = {without_parameters(test) for test in tests if not is_script(file_of(test))}
    found = [name for name in others if name in tree.tests_in(name.partition("::")[0])]
    return sorted([*found, *(scripts & tree.blobs.keys())])


def _with_base(test: TestEvidence, before: TestOutcome | None) -> TestEvidence:
    return replace(test, base=before) if test.outcome in _FAILURES else test
