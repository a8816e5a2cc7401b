"""The changed files of settings of a recording, and those among them that can affect every test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

import msgspec

from wardround.workflows.test.plans.settings_changes import OPTIONS, SettingsChange, settings_change
from wardround.workflows.test.python_code.file_roles import is_conftest, settings_role
from wardround.workflows.test.python_code.outline import Outline, OutlinedFunction
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.recorded_runs import MODULE, Recording

Installed = Callable[[], Mapping[str, str] | None]
"""Returns normal name -> version of the packages in the environment of the tests; None if it is not known."""


class SettingsEffects(msgspec.Struct, frozen=True):
    """The effects of changed files of settings.

    Attributes:
        everything: the reason to run every test; empty if there is none.
        modules: only code that imports one of them sees the changes.
        bounded: the files that have no effect on every test.
        notes: a sentence about each file whose changes no run of tests reads.
    """

    everything: str = ""
    modules: frozenset[str] = frozenset()
    bounded: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def settings_effects(
    recording: Recording,
    tree: TreeUnderTest,
    base: TreeUnderTest | None,
    paths: Sequence[str],
    installed: Installed = lambda: None,
) -> SettingsEffects:
    """Return the effects of the files of settings among changed paths."""
    current = installed() if recording.installed else None
    if current is not None and (difference := _other_package(recording.installed, current)):
        return SettingsEffects(difference)
    modules: set[str] = set()
    bounded: set[str] = set()
    notes: list[str] = []
    for path in paths:
        role = settings_role(path)
        if not role:
            continue
        if is_conftest(path):
            if not _is_bounded_conftest(path, recording, tree, base):
                return SettingsEffects(f"{path} changed, and {role}")
            bounded.add(path)
            continue
        for change in _changes(path, recording, tree, base):
            reason = (
                role
                if change.is_effective
                else _packages_reason(change, installed, is_same=current is not None)
            )
            if reason:
                return SettingsEffects(f"{path} changed, and {reason}")
            modules |= change.modules
        bounded.add(path)
        notes.append(f"{path} changed in parts that a run of the tests does not read.")
    return SettingsEffects("", frozenset(modules), frozenset(bounded), tuple(notes))


def _changes(
    path: str, recording: Recording, tree: TreeUnderTest, base: TreeUnderTest | None
) -> Iterator[SettingsChange]:
    """Yield the differences of a file to its recorded version, and to that of the base."""
    current = tree.blobs.get(path)
    versions = [recording.others.get(path)]
    if base is not None:
        versions.append(base.blobs.get(path))
    after = tree.version(path, current)
    for blob in dict.fromkeys(versions):
        if blob != current:
            before = base.version(path, blob) if base is not None else tree.version(path, blob)
            yield settings_change(path, before, after)


def _other_package(before: Mapping[str, str], current: Mapping[str, str]) -> str:
    """Return the difference between the packages of two environments in words; empty if there is none."""
    for name in sorted({*before, *current}):
        old, new = before.get(name, ""), current.get(name, "")
        if old != new:
            return f"the environment has {name} {new or 'no more'}, the recorded run had {old or 'none'}"
    return ""


def _packages_reason(change: SettingsChange, installed: Installed, *, is_same: bool) -> str:
    """Return the effect of changed requirements in words; empty if there is none.

    Args:
        is_same: the environment has the packages with which the tests were recorded.
    """
    if not change.packages or is_same:
        return ""
    names = installed()
    if names is None or OPTIONS in change.packages:
        return "it decides which packages are installed"
    found = sorted(names.keys() & change.packages)
    return f"it requires {found[0]}, which is installed, in another way" if found else ""


def _is_bounded_conftest(
    path: str, recording: Recording, tree: TreeUnderTest, base: TreeUnderTest | None
) -> bool:
    """Return True if only functions changed that some test calls, as its recorded run shows."""
    key = (path, recording.others.get(path, ""))
    if path not in tree.blobs or key not in recording.files:
        return False
    known = recording.files[key].outline
    outside = {
        known.functions[function_key].name
        for function_key in recording.outside.get(key, frozenset())
        if function_key != MODULE
    }
    after = tree.outline(path)
    earlier = [known] if base is None or path not in base.blobs else [known, base.outline(path)]
    return all(_is_bounded(before, after, outside) for before in earlier)


def _is_bounded(before: Outline, after: Outline, outside: Set[str]) -> bool:
    if before.problem or after.problem or _effective_digests(before) != _effective_digests(after):
        return False
    names = {function.name for function in before.functions}
    added = [function for function in _last_of_each_name(after) if function.name not in names]
    changed = _changed_functions(before, after)
    return not any(_runs_outside(function, outside) for function in (*changed, *added)) and not any(
        map(_is_used_without_a_call, added)
    )


def _changed_functions(before: Outline, after: Outline) -> list[OutlinedFunction]:
    """Return the functions of the base whose code is removed or differs."""
    digests = {function.name: function.digest for function in after.functions}
    return [
        function for function in _last_of_each_name(before) if digests.get(function.name) != function.digest
    ]


def _last_of_each_name(outline: Outline) -> Iterable[OutlinedFunction]:
    """Return the functions; of several with one name, the last, which replaces the others."""
    return {function.name: function for function in outline.functions}.values()


def _is_used_without_a_call(function: OutlinedFunction) -> bool:
    """Return True for a function that has an effect on tests which do not name it."""
    return function.is_fixture or function.is_inheriting


def _effective_digests(outline: Outline) -> list[str]:
    """Return the digests of the statements that do not import."""
    return [statement.digest for statement in outline.statements if not statement.is_import]


def _runs_outside(function: OutlinedFunction, outside: Set[str]) -> bool:
    """Return True for a function that runs where no recorded test shows it."""
    is_hook = function.name.partition(".")[0].startswith("pytest_")
    return is_hook or function.is_once or function.name in outside


def module_names(modules: Set[str], texts: Sequence[str]) -> frozenset[str]:
    """Return the last parts of the names of modules that some text imports."""
    found = set()
    for module in modules:
        package, _, name = module.rpartition(".")
        forms = (f"import {module}", f"from {module}", *([f"from {package} import"] if package else ()))
        if any(form in text for text in texts for form in forms):
            found.add(name)
    return frozenset(found)
