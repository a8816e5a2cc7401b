"""The tests of one recording that the differences to the tree under test can affect."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from wardround.retrieval.test_discovery import contains_tests
from wardround.workflows.test.plans.plan import MOST_EVIDENCE, Cause, SelectedTest
from wardround.workflows.test.plans.settings_effects import (
    Installed,
    SettingsEffects,
    module_names,
    settings_effects,
)
from wardround.workflows.test.python_code.file_roles import is_conftest, is_prose, is_python, settings_role
from wardround.workflows.test.python_code.mentions import CodeFile, Mentions, mentions
from wardround.workflows.test.python_code.outline import Sharing
from wardround.workflows.test.python_code.outline_changes import FileDifference, difference
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.recorded_runs import MODULE, Ran, RecordedRun, Recording

Key = tuple[str, str]
_LEAST_NAME = 3
"""The length of the shortest name of a file that is searched in code."""


class Effects(msgspec.Struct, frozen=True):
    """The differences between a recording and a tree, as effects on its runs.

    Attributes:
        everything: the reason to run every test; None if there is none.
        functions: file -> number of each affected function -> the cause, and the reason in words.
        defined: ids of the tests whose definition changed or is new; one may replace an inherited test.
        notes: sentences about changed files that have no effect.
        statement: a file with a changed module-level statement, in words; empty if there is none.
    """

    everything: tuple[Cause, str] | None
    functions: Mapping[Key, Mapping[int, tuple[Cause, str]]]
    defined: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    statement: str = ""


def effects(
    recording: Recording,
    tree: TreeUnderTest,
    base: TreeUnderTest | None,
    installed: Installed = lambda: None,
) -> Effects:
    """Compare the files of a recording, and those of the base of a change, with a tree.

    Args:
        installed: returns the packages in the environment of the tests; called if requirements changed.
    """
    others = _other_differences(recording, tree)
    if base is not None:
        others = sorted({*others, *_other_changes(base, tree)})
    settings = settings_effects(recording, tree, base, others, installed)
    if settings.everything:
        return Effects((Cause.SETTINGS, settings.everything), {})
    differences = list(_differences(recording, tree))
    if base is not None:
        differences += _changes(base, tree, _outside(recording))
    unbounded = next((changed_file.unbounded for changed_file in differences if changed_file.unbounded), "")
    if unbounded:
        return Effects((Cause.UNBOUNDED, unbounded), {})
    return _bound_effects(recording, tree, differences, others, settings)


def _bound_effects(
    recording: Recording,
    tree: TreeUnderTest,
    differences: Sequence[FileDifference],
    others: Iterable[str],
    settings: SettingsEffects,
) -> Effects:
    found = _Collected(recording)
    code = _Code(recording, tree)
    names: set[str] = set()
    calls: set[str] = set()
    for changed_file in differences:
        found.add_difference(
            changed_file,
            is_complete=changed_file.is_complete or (changed_file.has_examples and code.runs_examples),
        )
        names |= changed_file.names
        calls |= changed_file.calls
    names |= {module for path in others if is_python(path) and (module := _module(path))}
    if settings.modules:
        names |= module_names(settings.modules, [file.text for file in code.files])
    strict = {changed_file.path for changed_file in differences if changed_file.values}
    used_names = [mentions(names, code.files, calls, strict)] if names or calls else []
    used_names += [
        mentions(changed_file.imports, code.importers(changed_file.path))
        for changed_file in differences
        if changed_file.imports
    ]
    if not all(name.is_bounded for name in used_names):
        return Effects((Cause.UNBOUNDED, "more names changed than can be followed"), {})
    for used in used_names:
        found.add_mentions(used)
    for changed_file in differences:
        if any(not _is_mentioned(name, code) for name in changed_file.values):
            found.add_difference(changed_file, is_complete=True)
    for path in others:
        used = code.naming(path)
        is_known = is_python(path) or is_prose(path) or path in settings.bounded
        if not is_known and not used.functions and not used.files:
            return Effects((Cause.UNBOUNDED, f"{path} changed, and no code that uses it is known"), {})
        found.add_mentions(used, path)
    defined = {
        f"{changed_file.path}::{name.replace('.', '::')}"
        for changed_file in differences
        for name in changed_file.functions
    }
    statement = next(
        (
            f"a statement of {changed_file.path}"
            for changed_file in differences
            if changed_file.values or changed_file.statement
        ),
        "",
    )
    return Effects(None, found.functions, frozenset(defined), settings.notes, statement)


def _is_mentioned(name: str, code: _Code) -> bool:
    """Return True if a function or another statement of the tree mentions a name."""
    found = mentions({name}, code.files)
    return bool(found.functions or found.modules)


class _Code:
    """The Python files of a tree."""

    def __init__(self, recording: Recording, tree: TreeUnderTest) -> None:
        self._recording = recording
        self._tree = tree

    @cached_property
    def files(self) -> tuple[CodeFile, ...]:
        return self._tree.code(_outside(self._recording))

    @cached_property
    def runs_examples(self) -> bool:
        """True if doctest may run the examples of documentation."""
        is_collected = any(not contains_tests(run.file) for run in self._recording.runs)
        return is_collected or any("doctest" in file.text for file in self.files)

    def importers(self, path: str) -> list[CodeFile]:
        """Return a file with those that may import it: they name its module, or are in its package."""
        folder, name = posixpath.split(path)
        is_package = name == "__init__.py"
        module = posixpath.basename(folder) if is_package else name.removesuffix(".py")
        return [
            file
            for file in self.files
            if file.path == path
            or (is_package and file.path.startswith(f"{folder}/"))
            or (module in file.text and any(module in each.uses for each in file.outline().statements))
        ]

    def naming(self, path: str) -> Mentions:
        """Find the code that names a file: with its suffix, or else without it, or else by its folder."""
        if is_python(path) or is_conftest(path):
            return Mentions({}, {}, {})
        name = posixpath.basename(path)
        names = (
            (name,)
            if is_prose(path) or settings_role(path)
            else (name, name.partition(".")[0], path.split("/")[-2:][0])
        )
        for word in names:
            found = mentions({word}, self.files) if len(word) >= _LEAST_NAME else Mentions({}, {}, {})
            if found.functions or found.files:
                return found
        return Mentions({}, {}, {})


class _Collected:
    """Collects the affected functions; the first reason of each stays."""

    def __init__(self, recording: Recording) -> None:
        self._files = recording.files
        self._by_path: dict[str, list[Key]] = {}
        for key in recording.files:
            self._by_path.setdefault(key[0], []).append(key)
        self.functions: dict[Key, dict[int, tuple[Cause, str]]] = {}

    def _add(self, key: Key, number: int, cause: Cause, reason: str) -> None:
        self.functions.setdefault(key, {}).setdefault(number, (cause, reason))

    def add_difference(self, found: FileDifference, *, is_complete: bool) -> None:
        for key in self._by_path.get(found.path, ()):
            known = self._files[key].outline.functions
            for number, function in enumerate(known):
                if function.name in found.functions:
                    reason = f"it ran {found.path}::{function.name}, which changed"
                    self._add(key, number, Cause.RAN_CHANGED_FUNCTION, reason)
            if is_complete:
                reason = f"it ran code of {found.path}, which changed outside of its functions"
                for number in (MODULE, *range(len(known))):
                    self._add(
                        key, number, Cause.RAN_CHANGED_FILE, f"{reason} ({found.statement or 'new code'})"
                    )

    def add_mentions(self, found: Mentions, file: str = "") -> None:
        for path, functions in found.functions.items():
            for key in self._by_path.get(path, ()):
                for number, function in enumerate(self._files[key].outline.functions):
                    if function.name in functions:
                        self._add_mention(key, number, functions[function.name], file)
        for path, name in found.modules.items():
            for key in self._by_path.get(path, ()):
                self._add_mention(key, MODULE, name, file)
        for path, name in found.files.items():
            for key in self._by_path.get(path, ()):
                for number in (MODULE, *range(len(self._files[key].outline.functions))):
                    self._add_mention(key, number, name, file)

    def _add_mention(self, key: Key, number: int, name: str, file: str) -> None:
        where = key[0] if number == MODULE else f"{key[0]}::{self._files[key].outline.functions[number].name}"
        if file:
            self._add(key, number, Cause.MENTIONS_FILE, f"it ran {where}, which names {file}, which changed")
        else:
            self._add(key, number, Cause.MENTIONS_NAME, f"it ran {where}, which uses {name}, which changed")


def selected_tests(recording: Recording, found: Effects) -> Iterator[SelectedTest]:
    """Yield the tests of a recording to run."""
    if found.everything is not None:
        yield from (SelectedTest(run.test, *found.everything) for run in recording.runs)
        return
    shared = _SharedSetups(recording, found)
    is_imported = False
    for run in recording.runs:
        if (item := _reason(run, recording, found) or shared.reason(run)) is not None:
            is_imported |= item.cause is not Cause.STARTS_PROCESS
            yield item
    if found.statement and not is_imported:
        yield from _first_importing_tests(recording, found.statement)


def _first_importing_tests(recording: Recording, statement: str) -> Iterator[SelectedTest]:
    """Yield the first test of each file, as a statement that fails on import fails in all of them."""
    first = {run.file: run.test for run in reversed(recording.runs)}
    reason = f"it is the first of its file, and {statement} may fail on import"
    yield from (SelectedTest(test, Cause.RAN_CHANGED_FILE, reason) for test in first.values())


def _reason(run: RecordedRun, recording: Recording, found: Effects) -> SelectedTest | None:
    if not any(path == run.file for path, _ in run.ran):
        return SelectedTest(run.test, Cause.NOT_RECORDED, "its recorded run does not include its own file")
    if run.test.partition("[")[0] in found.defined:
        return SelectedTest(run.test, Cause.CHANGED_TEST, "the test itself changed")
    hits = list(_hits(run.ran, found))
    if hits:
        return _select_test(run, recording, hits)
    return _process(run, recording)


def _hits(ran: Mapping[Key, Ran], found: Effects) -> Iterator[tuple[Key, int, Cause, str]]:
    for key, numbers in ran.items():
        affected = found.functions.get(key)
        if affected:
            yield from ((key, number, *affected[number]) for number in sorted(numbers & affected.keys()))


def _select_test(
    run: RecordedRun, recording: Recording, hits: list[tuple[Key, int, Cause, str]]
) -> SelectedTest:
    order = list(Cause)
    own = run.test.partition("[")[0].removeprefix(f"{run.file}::").replace("::", ".")
    evidence = []
    for key, number, cause, _ in hits:
        name = "" if number == MODULE else recording.files[key].outline.functions[number].name
        if key[0] == run.file and name == own and cause is Cause.RAN_CHANGED_FUNCTION:
            return SelectedTest(run.test, Cause.CHANGED_TEST, "the test itself changed")
        evidence.append(f"{key[0]}::{name}" if name else key[0])
    _, _, cause, reason = min(hits, key=lambda hit: order.index(hit[2]))
    return SelectedTest(run.test, cause, reason, tuple(dict.fromkeys(evidence))[:MOST_EVIDENCE])


def _process(run: RecordedRun, recording: Recording) -> SelectedTest | None:
    for key, numbers in run.ran.items():
        functions = recording.files[key].outline.functions
        for number in sorted(numbers - {MODULE}):
            if functions[number].starts_processes:
                name = f"{key[0]}::{functions[number].name}"
                reason = f"it ran {name}, which can start a process, whose code no recording covers"
                return SelectedTest(run.test, Cause.STARTS_PROCESS, reason, (name,))
    return None


class _SharedSetups:
    """The setups that serve several tests and ran an affected function, in the run of one of them."""

    def __init__(self, recording: Recording, found: Effects) -> None:
        self._files: dict[str, tuple[str, str]] = {}
        self._folders: dict[str, tuple[str, str]] = {}
        for run in recording.runs:
            hit = next(_hits(run.shared, found), None) if run.sharing else None
            if hit is None:
                continue
            if run.sharing is Sharing.FILE:
                self._files.setdefault(run.file, (run.test, hit[3]))
            for folder in _folders(run, recording):
                self._folders.setdefault(folder, (run.test, hit[3]))

    def reason(self, run: RecordedRun) -> SelectedTest | None:
        found = self._files.get(run.file)
        for folder, reason in self._folders.items():
            if found is None and (not folder or run.file.startswith(f"{folder}/")):
                found = reason
        if found is None:
            return None
        clause = found[1].removeprefix("it ran ")
        return SelectedTest(
            run.test, Cause.SHARED_SETUP, f"a setup that {found[0]} shares with it ran {clause}"
        )


def _folders(run: RecordedRun, recording: Recording) -> Iterator[str]:
    """Yield the folders whose tests share a session-scoped fixture with this test; ``""`` is the root."""
    if run.sharing is not Sharing.SESSION:
        return
    for key, numbers in run.shared.items():
        functions = recording.files[key].outline.functions
        if any(functions[number].sharing is Sharing.SESSION for number in numbers if number != MODULE):
            yield posixpath.dirname(key[0]) if posixpath.basename(key[0]) == "conftest.py" else ""


def _differences(recording: Recording, tree: TreeUnderTest) -> Iterator[FileDifference]:
    outside = _outside(recording)
    for (path, blob), file in recording.files.items():
        if tree.blobs.get(path) != blob:
            after = tree.outline(path) if path in tree.blobs else None
            yield difference(path, file.outline, after, outside.get(path, frozenset()))


def _changes(
    base: TreeUnderTest, tree: TreeUnderTest, outside: Mapping[str, frozenset[str]]
) -> Iterator[FileDifference]:
    for path, blob in base.blobs.items():
        if (is_python(path) or is_conftest(path)) and tree.blobs.get(path) != blob:
            after = tree.outline(path) if path in tree.blobs else None
            yield difference(path, base.outline(path), after, outside.get(path, frozenset()))
    for path in tree.blobs:
        if is_python(path) and path not in base.blobs:
            functions = frozenset(function.name for function in tree.outline(path).functions)
            yield FileDifference(path, functions)


def _other_changes(base: TreeUnderTest, tree: TreeUnderTest) -> Iterator[str]:
    for path in {*base.blobs, *tree.blobs}:
        if not is_python(path) and base.blobs.get(path) != tree.blobs.get(path):
            yield path


def _other_differences(recording: Recording, tree: TreeUnderTest) -> list[str]:
    """Return the files that differ, without measured and without new Python files, sorted."""
    differing = {path for path, blob in recording.others.items() if tree.blobs.get(path) != blob}
    measured = {path for path, _ in recording.files}
    new = {path for path in tree.blobs if path not in recording.others and path not in measured}
    return sorted(differing | {path for path in new if not is_python(path)})


def _module(path: str) -> str:
    """Return the name by which code imports a file; empty for tests and for parts of packages."""
    stem = posixpath.basename(path).removesuffix(".py")
    return "" if stem.startswith(("test", "__")) else stem


def _outside(recording: Recording) -> dict[str, frozenset[str]]:
    return {
        key[0]: frozenset(
            recording.files[key].outline.functions[number].name for number in numbers if number != MODULE
        )
        for key, numbers in recording.outside.items()
    }
