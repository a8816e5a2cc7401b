"""The choice of the files of JavaScript tests that a change can affect.

A test file is skipped only if a recorded run of it bounds the functions that it depends on, and none of them
changed. Every other file is run. Its id is its path.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from wardround.errors import UsageError
from wardround.workflows.test.plans.plan import MOST_EVIDENCE, Cause, OmittedTest, SelectedTest, TestPlan
from wardround.workflows.test.plans.script_effects import ScriptEffects, script_effects
from wardround.workflows.test.plans.script_order import count_imports_of_changed
from wardround.workflows.test.plans.selection import Scope, Target
from wardround.workflows.test.recordings.recorded_runs import MODULE, RecordedRun, Recording
from wardround.workflows.test.scripts.changes import ScriptDifference
from wardround.workflows.test.scripts.tree import ScriptTree

NO_RECORDING = (
    "No run of JavaScript tests is recorded, so every file of tests is run, the nearest by imports first."
)


def plan_script_tests(
    recordings: Sequence[Recording],
    tree: ScriptTree,
    target: Target,
    *,
    base: ScriptTree | None = None,
    failed: Collection[str] = (),
) -> TestPlan:
    """Choose test files.

    Args:
        recordings: the newest first; each test file has at most one run.
        base: the tree before the change; None for only the differences to the recorded runs.
        failed: files with a test that failed in the last run; they run until they pass.

    Raises:
        UsageError: a name is that of no file or folder of tests.
    """
    runs = {run.test: (run, each) for each in recordings for run in each.runs if run.test in tree.files.blobs}
    known = sorted({*runs, *tree.test_files})
    if target.names:
        return _select_by_name(known, target.names)
    if target.scope is Scope.ALL:
        return TestPlan(tuple(SelectedTest(test, Cause.ALL, "all tests are requested") for test in known))
    return _affected_tests(known, runs, tree, base, failed, _uncollected_files(recordings, tree, base))


def _affected_tests(
    known: Sequence[str],
    runs: Mapping[str, tuple[RecordedRun, Recording]],
    tree: ScriptTree,
    base: ScriptTree | None,
    failed: Collection[str],
    uncollected: Collection[str],
) -> TestPlan:
    effects = {
        id(each): script_effects(each, tree, base) for each in {id(e): e for _, e in runs.values()}.values()
    }
    changed = tree.files.differing(base.files) if base is not None else frozenset()
    chosen: list[SelectedTest] = []
    omitted: list[OmittedTest] = []
    for test in known:
        if test in failed:
            chosen.append(SelectedTest(test, Cause.FAILED_BEFORE, "a test of it failed in its last run"))
            continue
        if test not in runs and test in uncollected:
            omitted.append(OmittedTest(test, "the recorded run of all tests did not run it"))
            continue
        if test not in runs:
            chosen.append(_unrecorded_test(test, is_changed=test in changed))
            continue
        run, recording = runs[test]
        item = _Selection(run, recording, effects[id(recording)], tree).reason(is_changed=test in changed)
        if item is None:
            count = sum(len(numbers - {MODULE}) for numbers in run.ran.values())
            omitted.append(OmittedTest(test, f"nothing changed in the {count} functions that it ran"))
        else:
            chosen.append(item)
    order = list(Cause)
    near = (
        count_imports_of_changed(tree, changed)
        if any(test.cause is Cause.NOT_RECORDED for test in chosen)
        else {}
    )
    chosen.sort(
        key=lambda test: (order.index(test.cause), near.get(test.id, len(near)), -len(test.evidence), test.id)
    )
    return TestPlan(tuple(chosen), tuple(omitted), () if runs or not known else (NO_RECORDING,))


def _uncollected_files(
    recordings: Sequence[Recording], tree: ScriptTree, base: ScriptTree | None
) -> frozenset[str]:
    """Return the files that a run of all tests did not run, unless its configuration changed since."""
    complete = next((recording for recording in recordings if recording.is_complete), None)
    if complete is None or script_effects(complete, tree, base).everything is not None:
        return frozenset()
    others = complete.others
    return frozenset(test for test in tree.test_files if others.get(test) == tree.files.blobs[test])


def _unrecorded_test(test: str, *, is_changed: bool) -> SelectedTest:
    if is_changed:
        return SelectedTest(test, Cause.NEW_TEST, "it changed, and no run of it is recorded")
    return SelectedTest(
        test, Cause.NOT_RECORDED, "no run of it is recorded, so nothing bounds what it covers"
    )


class _Selection:
    """The reasons to run one recorded test file."""

    def __init__(
        self, run: RecordedRun, recording: Recording, effects: ScriptEffects, tree: ScriptTree
    ) -> None:
        self._run = run
        self._recording = recording
        self._effects = effects
        self._tree = tree

    def reason(self, *, is_changed: bool) -> SelectedTest | None:
        """Return the test with the first of its reasons; None if there is none."""
        test, effects = self._run.test, self._effects
        if is_changed or (test, self._tree.files.blobs[test]) not in self._run.ran:
            return SelectedTest(test, Cause.CHANGED_TEST, "the file of tests itself changed")
        if effects.everything is not None:
            return SelectedTest(test, *effects.everything)
        if test in effects.tests:
            return SelectedTest(test, *effects.tests[test])
        order = list(Cause)
        found = sorted(self._hits(), key=lambda hit: order.index(hit[0]))
        if found:
            evidence = tuple(dict.fromkeys(hit[2] for hit in found))[:MOST_EVIDENCE]
            return SelectedTest(test, found[0][0], found[0][1], evidence)
        return self._process()

    def _hits(self) -> Iterator[tuple[Cause, str, str]]:
        """Yield the cause, the reason and the evidence of each effect on what the test ran."""
        for path, blob in self._run.ran:
            if path in self._effects.files:
                yield (*self._effects.files[path], path)
            for difference in self._effects.differences.get(path, ()):
                yield from self._function_hits(difference, (path, blob))
                if reason := difference.statement or self._loads(difference) or self._enumerates(difference):
                    clause = f"it loaded {path}, which changed outside of its functions ({reason})"
                    yield Cause.RAN_CHANGED_FILE, clause, path

    def _function_hits(
        self, item: ScriptDifference, key: tuple[str, str]
    ) -> Iterator[tuple[Cause, str, str]]:
        functions = self._recording.files[key].outline.functions
        for number in sorted(self._run.ran[key] - {MODULE}):
            name = functions[number].name
            if name in item.functions:
                clause = f"it ran {key[0]}::{name}, which changed"
                yield Cause.RAN_CHANGED_FUNCTION, clause, f"{key[0]}::{name}"

    def _loads(self, item: ScriptDifference) -> str:
        """Return the module that a file imports now and that the test had not loaded, as a clause."""
        loaded = {path for path, _ in self._run.ran}
        found = [
            each for each in sorted(item.modules) if self._tree.resolve_module(item.path, each) not in loaded
        ]
        return f"it imports {found[0]} now" if found else ""

    def _enumerates(self, item: ScriptDifference) -> str:
        """Return the file that can list the new exports of a file, as a clause."""
        for key in self._run.ran if item.exports else ():
            statements = self._recording.files[key].outline.statements
            if any(each.is_import and each.names and not each.is_bounded for each in statements):
                return f"it exports {min(item.exports)} now, and {key[0]} uses a module as a value"
        return ""

    def _process(self) -> SelectedTest | None:
        for key, numbers in self._run.ran.items():
            functions = self._recording.files[key].outline.functions
            for number in sorted(numbers - {MODULE}):
                if functions[number].starts_processes:
                    name = f"{key[0]}::{functions[number].name}"
                    clause = f"it ran {name}, which can start a process, whose code no recording covers"
                    return SelectedTest(self._run.test, Cause.STARTS_PROCESS, clause, (name,))
        return None


def _select_by_name(known: Sequence[str], names: Sequence[str]) -> TestPlan:
    chosen: dict[str, SelectedTest] = {}
    for name in names:
        folder = name.rstrip("/")
        found = [test for test in known if test == folder or test.startswith(f"{folder}/")]
        if not found:
            raise UsageError(
                f"{name}: no file or folder of tests has this name; list them with --target all --dry-run"
            )
        for test in found:
            chosen.setdefault(test, SelectedTest(test, Cause.REQUESTED, f"{name} is requested"))
    omitted = tuple(OmittedTest(test, "it is not requested") for test in known if test not in chosen)
    return TestPlan(tuple(chosen.values()), omitted)
