"""The plan for the JavaScript tests of a change, from its recorded runs, and the store of these runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from pathlib import Path

from wardround.storage.paths import cache_dir
from wardround.workflows.test.plans.plan import TestPlan
from wardround.workflows.test.plans.script_patterns import script_test_files
from wardround.workflows.test.plans.script_selection import plan_script_tests
from wardround.workflows.test.plans.selection import Target
from wardround.workflows.test.project.projects import DetectedProject
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.recorded_runs import Recording
from wardround.workflows.test.recordings.run_store import RunStore
from wardround.workflows.test.scripts.tree import ScriptTree


def plan_scripts(
    git_dir: Path,
    projects: Iterable[DetectedProject],
    head: TreeUnderTest,
    base: TreeUnderTest | None,
    target: Target,
) -> TestPlan:
    """Plan the JavaScript tests of a change.

    Args:
        git_dir: git folder of the repository, for its recorded runs.
        target: with names, only those of files and folders of JavaScript tests.
    """
    tests = script_test_files(projects, head)
    if not tests:
        return TestPlan()
    store = open_script_runs(git_dir)
    try:
        recordings, failed = store.load(), store.failed_tests()
    finally:
        store.close()
    before = None if base is None else ScriptTree(base)
    return plan_script_tests(
        recordings, ScriptTree(head, tests), target, base=before, failed=failed & {*tests}
    )


def split_target(
    projects: Iterable[DetectedProject], head: TreeUnderTest, target: Target
) -> tuple[Target | None, Target | None]:
    """Return the part of a target for JavaScript tests, and that for others; None for none."""
    if not target.names:
        return target, target
    tests = script_test_files(projects, head)
    found = tuple(name for name in target.names if _is_named(name.rstrip("/"), tests))
    others = tuple(name for name in target.names if name not in found)
    scripts = Target(target.scope, found) if found else None
    return scripts, Target(target.scope, others) if others else None


def _is_named(name: str, tests: Iterable[str]) -> bool:
    return any(test == name or test.startswith(f"{name}/") for test in tests)


def join_plans(plans: Iterable[TestPlan]) -> TestPlan:
    """Return the tests of several plans as one, in the order of the plans."""
    found = list(plans)
    return TestPlan(
        tuple(test for plan in found for test in plan.selected),
        tuple(test for plan in found for test in plan.omitted),
        tuple(note for plan in found for note in plan.notes),
    )


def open_script_runs(git_dir: Path) -> RunStore:
    """Open or create the store of the runs of JavaScript tests of a repository."""
    return RunStore.open(git_dir, cache_dir() / "script-test-runs")


def store_script_runs(
    git_dir: Path, recordings: Iterable[Recording], failed: Collection[str], passed: Collection[str]
) -> str:
    """Store runs and failures for later plans.

    Args:
        failed: files with a test that failed.
        passed: test files that all passed.

    Returns:
        A sentence if that is impossible, else an empty text.
    """
    try:
        store = open_script_runs(git_dir)
        try:
            for recording in recordings:
                store.add(recording)
            store.mark(failed, passed)
            return store.problem
        finally:
            store.close()
    except (OSError, sqlite3.Error) as cause:
        return f"Runs of JavaScript tests were not stored ({cause}), so that the next plan is not smaller."
