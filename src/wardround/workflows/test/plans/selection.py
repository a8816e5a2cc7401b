"""The choice of the tests of a tree: those a change can affect, all of them, or those a person names.

A test is skipped only if a recorded run of it bounds its dependencies. Every other test is run.
"""

from __future__ import annotations

import difflib
import enum
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from wardround.errors import UsageError
from wardround.workflows.test.plans.plan import Cause, OmittedTest, SelectedTest, TestPlan
from wardround.workflows.test.plans.recorded_selection import effects, selected_tests
from wardround.workflows.test.plans.settings_effects import Installed
from wardround.workflows.test.python_code.file_roles import is_prose
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.recorded_runs import RecordedRun, Recording
from wardround.workflows.test.recordings.shown_ids import without_parameters

_KEPT_PARAMETERS = frozenset({Cause.RAN_CHANGED_FUNCTION, Cause.SHARED_SETUP, Cause.STARTS_PROCESS})
"""Causes that leave the parameters of a test as they were recorded."""
_SUGGESTED = 3
NO_RECORDING = "No run is recorded, so every test is run; a recorded run bounds the tests of later changes."


class Scope(enum.StrEnum):
    """The tests to choose from: those of the change, or all."""

    CHANGED = "changed"
    ALL = "all"


class Target(msgspec.Struct, frozen=True):
    """The requested tests: of a scope or, if there are names, those with these ids, in files or folders."""

    scope: Scope = Scope.CHANGED
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: Sequence[str]) -> Target:
        """Return the target of a command line: ``changed``, ``all``, or the names of tests."""
        if not values:
            return cls()
        if len(values) == 1 and values[0] in tuple(Scope):
            return cls(Scope(values[0]))
        return cls(Scope.ALL, tuple(values))


def plan_tests(
    recordings: Sequence[Recording],
    tree: TreeUnderTest,
    target: Target,
    *,
    base: TreeUnderTest | None = None,
    ranked: Sequence[str] = (),
    failed: Collection[str] = (),
    installed: Installed = lambda: None,
) -> TestPlan:
    """Choose tests.

    Args:
        recordings: the newest first; each test has at most one run.
        base: the tree before the change; None for only the differences to the recorded runs.
        ranked: ids of tests that probably cover the change, the best first; without recorded runs they are
            run first.
        failed: ids of tests that failed in their last run; they run until they pass.
        installed: returns the packages in the environment of the tests.

    Raises:
        UsageError: a name is the id of no test.
    """
    known = _Known(recordings, tree)
    if target.names:
        return _select_by_name(known, target.names)
    if target.scope is Scope.ALL:
        return TestPlan(tuple(SelectedTest(test, Cause.ALL, "all tests are requested") for test in known.ids))
    return _affected_tests(known, base, ranked, failed, installed)


class _Known:
    """The tests of a tree: recorded ones that still exist, and those found in test files."""

    def __init__(self, recordings: Sequence[Recording], tree: TreeUnderTest) -> None:
        self.recordings = recordings
        self.tree = tree
        self.runs = {
            run.test: run
            for recording in recordings
            for run in recording.runs
            if self._still_exists(run, recording)
        }
        bases = {without_parameters(test) for test in self.runs}
        found = [test for path in tree.test_files for test in tree.tests_in(path)]
        self.unrecorded = [test for test in dict.fromkeys(found) if test not in bases]

    @property
    def ids(self) -> list[str]:
        return sorted({*self.runs, *self.unrecorded})

    def existing(self, tests: Iterable[str]) -> Iterator[str]:
        """Yield the tests that still exist; without parameters, if no run with them is recorded."""
        bases = {*self.unrecorded, *map(without_parameters, self.runs)}
        for test in tests:
            if test in self.runs:
                yield test
            elif without_parameters(test) in bases:
                yield without_parameters(test)

    def _still_exists(self, run: RecordedRun, recording: Recording) -> bool:
        if run.file not in self.tree.blobs:
            return False
        version = next((key for key in run.ran if key[0] == run.file), None)
        if version is None or self.tree.blobs[run.file] == version[1]:
            return True
        name = without_parameters(run.test).removeprefix(f"{run.file}::").replace("::", ".")
        before = {function.name for function in recording.files[version].outline.functions}
        current = self.tree.outline(run.file)
        if name in before:
            return any(function.name == name for function in current.functions)
        owner = name.partition(".")[0]
        return any(owner in statement.names for statement in current.statements)

    def was_not_run(self, test: str) -> bool:
        """Return True if a run of all tests had this version of a test's file and did not run the test."""
        path = test.partition("::")[0]
        key = (path, self.tree.blobs.get(path, ""))
        return any(recording.is_complete and key in recording.files for recording in self.recordings)


def _affected_tests(
    known: _Known,
    base: TreeUnderTest | None,
    ranked: Sequence[str],
    failed: Collection[str],
    installed: Installed,
) -> TestPlan:
    changed = None if base is None else known.tree.differing(base)
    reason = "it failed in its last run"
    chosen = {
        test: SelectedTest(test, Cause.FAILED_BEFORE, reason) for test in known.existing(sorted(failed))
    }
    found_notes: dict[str, None] = {}
    for recording in known.recordings:
        found_effects = effects(recording, known.tree, base, installed)
        found_notes |= dict.fromkeys(found_effects.notes)
        for selected in selected_tests(recording, found_effects):
            if selected.id in known.runs:
                found = _runnable_test(selected, known)
                chosen.setdefault(found.id, found)
    omitted = list(_omitted_tests(known, chosen))
    for test in known.unrecorded:
        if test in chosen:
            continue
        if known.was_not_run(test):
            omitted.append(OmittedTest(test, "the recorded run of all tests did not run it"))
        elif changed is not None and not known.recordings and changed and all(map(is_prose, changed)):
            omitted.append(OmittedTest(test, "the change has documents alone"))
        else:
            chosen[test] = _unrecorded_test(test, known, changed)
    order = _order(chosen.values(), ranked)
    is_unbounded = any(test.cause is Cause.NOT_RECORDED for test in order)
    notes = (NO_RECORDING,) if is_unbounded and not known.recordings else tuple(found_notes)
    return TestPlan(tuple(order), tuple(sorted(omitted, key=lambda test: test.id)), notes)


def _runnable_test(item: SelectedTest, known: _Known) -> SelectedTest:
    """Return a test without its parameters if a change may give it others."""
    run = known.runs[item.id]
    is_same_file = any(key == (run.file, known.tree.blobs[run.file]) for key in run.ran)
    if is_same_file and item.cause in _KEPT_PARAMETERS:
        return item
    return msgspec.structs.replace(item, id=without_parameters(item.id))


def _omitted_tests(known: _Known, chosen: Mapping[str, SelectedTest]) -> Iterator[OmittedTest]:
    for test, run in known.runs.items():
        if test not in chosen and without_parameters(test) not in chosen:
            count = sum(len(numbers) for numbers in run.ran.values())
            yield OmittedTest(test, f"nothing changed in the {count} functions that it ran")


def _unrecorded_test(test: str, known: _Known, changed: Collection[str] | None) -> SelectedTest:
    path = test.partition("::")[0]
    if any(path == file for recording in known.recordings for file, _ in recording.files):
        return SelectedTest(test, Cause.NEW_TEST, "no run of it is recorded, unlike of others in its file")
    if changed is not None and path in changed:
        return SelectedTest(test, Cause.NEW_TEST, "its file changed, and no run of it is recorded")
    return SelectedTest(
        test, Cause.NOT_RECORDED, "no run of it is recorded, so nothing bounds what it covers"
    )


def _order(chosen: Iterable[SelectedTest], ranked: Sequence[str]) -> list[SelectedTest]:
    """Return tests by cause, ranked ones first among those of one cause."""
    causes = list(Cause)
    ranks = {test: at for at, test in enumerate(ranked)}

    def position(item: SelectedTest) -> tuple[int, int, int, str]:
        rank = ranks.get(without_parameters(item.id), len(ranks))
        return causes.index(item.cause), rank, -len(item.evidence), item.id

    return sorted(chosen, key=position)


def _select_by_name(known: _Known, names: Sequence[str]) -> TestPlan:
    chosen: dict[str, SelectedTest] = {}
    for name in names:
        found = [test for test in known.ids if _is_named(test, name)]
        if not found:
            raise UsageError(
                f"{name}: no test has this id, and no file or folder of tests this "
                f"name{_suggest_name(known, name)}"
            )
        for test in found:
            chosen.setdefault(test, SelectedTest(test, Cause.REQUESTED, f"{name} is requested"))
    omitted = tuple(OmittedTest(test, "it is not requested") for test in known.ids if test not in chosen)
    return TestPlan(tuple(chosen.values()), omitted)


def _is_named(test: str, name: str) -> bool:
    name = name.rstrip("/")
    return test == name or any(test.startswith(f"{name}{mark}") for mark in ("::", "[", "/"))


def _suggest_name(known: _Known, name: str) -> str:
    near = difflib.get_close_matches(name, known.ids, _SUGGESTED)
    return f"; did you mean {', '.join(near)}?" if near else "; list the tests with --target all --dry-run"
