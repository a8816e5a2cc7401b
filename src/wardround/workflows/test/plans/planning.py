"""The projects and the plan of a change, from the repository and its recorded runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from wardround.change.change_source import decode_text
from wardround.change.diff import Change
from wardround.change.repository import INDEX, Repository
from wardround.workflows.environments.installed_packages import installed_in
from wardround.workflows.test.plans.plan import TestPlan
from wardround.workflows.test.plans.script_planning import join_plans, plan_scripts, split_target
from wardround.workflows.test.plans.script_selection import NO_RECORDING as NO_SCRIPT_RECORDING
from wardround.workflows.test.plans.selection import NO_RECORDING, Target, plan_tests
from wardround.workflows.test.project.projects import DetectedProject, detect_projects
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.run_store import RunStore

_LONGEST_FILE = 1024 * 1024
"""Bytes; people write no longer sources."""


class PlannedTests(msgspec.Struct, frozen=True):
    """The plan of a change.

    Attributes:
        side: the commit to test, or the index.
        base: None if the repository has no commit before the change.
    """

    side: str
    head: TreeUnderTest
    base: TreeUnderTest | None
    projects: tuple[DetectedProject, ...]
    plan: TestPlan


def plan_change(
    repository: Repository, change: Change, target: Target, ranked: Callable[[], Sequence[str]] = tuple
) -> PlannedTests:
    """Plan the tests of a change.

    Args:
        ranked: the ids of the tests that probably cover the change; only called without recorded runs.

    Raises:
        UsageError: a requested test does not exist.
    """
    side = INDEX if change.head.startswith(":") else change.head
    head = tree_of(repository, side)
    base = None if change.base == repository.empty_tree else tree_of(repository, change.base)
    store = RunStore.open(repository.git_dir)
    try:
        recordings, failed, problem = store.load(), store.failed_tests(), store.problem
    finally:
        store.close()
    order = () if recordings else ranked()
    projects = detect_projects(tuple(head.blobs), head.text)
    scripts, others = split_target(projects, head, target)
    found = []
    if others is not None:
        installed = partial(installed_in, repository, change.base, projects, os.environ)
        found.append(
            plan_tests(recordings, head, others, base=base, ranked=order, failed=failed, installed=installed)
        )
    found += [] if scripts is None else [plan_scripts(repository.git_dir, projects, head, base, scripts)]
    return PlannedTests(side, head, base, projects, _add_problem(join_plans(found), problem))


def _add_problem(plan: TestPlan, problem: str) -> TestPlan:
    """Return the plan with the reason why no run can be stored, if there is one."""
    if not problem:
        return plan
    others = (note for note in plan.notes if note not in (NO_RECORDING, NO_SCRIPT_RECORDING))
    return msgspec.structs.replace(plan, notes=(problem, *others))


def tree_of(repository: Repository, side: str) -> TreeUnderTest:
    """Return the tree of a commit or of the index; files that are too long or not UTF-8 have no text."""
    blobs = dict(repository.blobs_of(side))

    def read_blob(blob: str) -> str | None:
        content = repository.blobs.get(blob)
        return None if content is None or len(content) > _LONGEST_FILE else decode_text(content)

    return TreeUnderTest(blobs, lambda path: read_blob(blobs[path]) if path in blobs else None, read_blob)
