"""The tests of the base in which to record calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.workflows.behaviour.targets import Target
from wardround.workflows.test.plans.plan import TestPlan
from wardround.workflows.test.plans.planning import plan_change, tree_of
from wardround.workflows.test.plans.selection import Target as Requested
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.shown_ids import without_parameters

_MOST_FILES = 2000
_TESTS = frozenset({"test", "tests", "testing"})
"""Folders of tests, unlike those of examples and measurements."""


def chosen_tests(repository: Repository, change: Change, targets: Sequence[Target]) -> tuple[str, ...]:
    """Return files, and ids without parameters; none for all tests, as pytest's configuration collects them.

    They are the tests that executed the functions, if runs are recorded; else all test files, those that
    probably call the functions first.
    """
    base = tree_of(repository, change.base)
    planned = plan_change(repository, change, Requested())
    if planned.plan.omitted and not planned.plan.notes:
        return tuple(dict.fromkeys(_base_test_ids(planned.plan, base)))
    return _all_files(base, targets)


def _base_test_ids(plan: TestPlan, base: TreeUnderTest) -> Iterator[str]:
    """Yield the chosen tests that the base has, with all their parameters."""
    for selected in plan.selected:
        test = without_parameters(selected.id)
        path = test.partition("::")[0]
        if path in base.blobs:
            yield test if test in base.tests_in(path) else path


def _all_files(tree: TreeUnderTest, targets: Sequence[Target]) -> tuple[str, ...]:
    """Return the files that mention a function, then those that mention its module, then others."""
    files = tree.test_files
    if len(files) > _MOST_FILES:
        return ()
    functions = {target.base.own_name for target in targets}
    modules = {
        target.base_path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
        for target in targets
    }

    def distance(path: str) -> tuple[int, str]:
        content = tree.text(path)
        for at, names in enumerate((functions, modules)):
            if any(name in content or name in path for name in names):
                return at, path
        return 2 if _TESTS.intersection(path.split("/")[:-1]) else 3, path

    return tuple(sorted(files, key=distance))
