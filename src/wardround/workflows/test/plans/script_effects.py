"""The differences between a recording of JavaScript tests and a tree, as effects on loaded files."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property

import msgspec

from wardround.lazy import LazyPattern
from wardround.workflows.test.plans.plan import Cause
from wardround.workflows.test.python_code.outline import Outline
from wardround.workflows.test.recordings.recorded_runs import Recording
from wardround.workflows.test.scripts.changes import ScriptDifference, script_difference
from wardround.workflows.test.scripts.roles import (
    identity,
    is_declarations,
    is_document,
    is_script,
    script_settings_role,
    tests_of_snapshot,
)
from wardround.workflows.test.scripts.tree import ScriptTree

_LEAST_NAME = 3
_CONSTANT_ENUM = LazyPattern(r"\bconst\s+enum\b")
_CONFIGURATION_SCRIPTS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts")
_OUTSIDE_OF_TESTS = LazyPattern(
    r"\b(?:globalSetup|globalTeardown|testEnvironment|environment|transform|resolver|runner|preset|presets|plugins"
    r"|customProviderModule|reporters|sequencer|testSequencer)[\"']?\s*:\s*([\[{][^\]}]{0,2000}[\]}]|[\"'][^\"'\n]{1,200}[\"'])"
)
_QUOTED = LazyPattern(r"[\"'`]([^\"'`\s]{2,200})[\"'`]")
_SCRIPT_SUFFIX = LazyPattern(r"(?:/index)?\.[cm]?[jt]sx?$")
Reason = tuple[Cause, str]


class ScriptEffects(msgspec.Struct, frozen=True):
    """The effects of the differences.

    Attributes:
        everything: the reason to run every test; None if there is none.
        differences: file -> its differences, one to the recorded version and one to the base.
        files: file -> the reason to run the tests that loaded it.
        tests: test file -> the reason to run it.
    """

    everything: Reason | None
    differences: Mapping[str, tuple[ScriptDifference, ...]] = {}
    files: Mapping[str, Reason] = {}
    tests: Mapping[str, Reason] = {}


def script_effects(recording: Recording, tree: ScriptTree, base: ScriptTree | None) -> ScriptEffects:
    """Compare the files of a recording, and those of the base of a change, with a tree."""
    found = _Comparison(recording, tree, base)
    everything = found.everything()
    return ScriptEffects(everything) if everything else found.bounded_effects()


class _Comparison:
    def __init__(self, recording: Recording, tree: ScriptTree, base: ScriptTree | None) -> None:
        self._recording = recording
        self._tree = tree
        self._base = base
        self._loaded = {path for path, _ in recording.files}
        self._others = [path for path in sorted(self._changed_paths) if path not in self._loaded]

    @cached_property
    def _changed_paths(self) -> Set[str]:
        """Return the files whose content differs from the recording or from the base."""
        recorded: dict[str, set[str]] = {path: {blob} for path, blob in self._recording.others.items()}
        for path, blob in self._recording.files:
            if path not in self._recording.others:
                recorded.setdefault(path, set()).add(blob)
        current = _identities(self._tree)
        paths = {path for path in {*recorded, *current} if recorded.get(path) != {current.get(path)}}
        if self._base is None:
            return paths
        before = _identities(self._base)
        return paths | {path for path in {*before, *current} if before.get(path) != current.get(path)}

    def everything(self) -> Reason | None:
        for path in sorted({*self._others, *(self._changed_paths & self._loaded)}):
            role = script_settings_role(path)
            if role:
                return Cause.SETTINGS, f"{path} changed, and {role}"
            if (is_declarations(path) or is_script(path)) and self._has_constant_enum(path):
                return Cause.UNBOUNDED, f"{path} changed, whose constant enums other files can contain"
            if path in self._used_by_settings:
                return Cause.SETTINGS, f"{path} changed, and {self._used_by_settings[path]} uses it"
        return next((reason for path in self._others if (reason := self._unknown_reason(path))), None)

    def _has_constant_enum(self, path: str) -> bool:
        texts = [self._tree.files.text(path)] + ([self._base.files.text(path)] if self._base else [])
        return any(_CONSTANT_ENUM.search(text) is not None for text in texts)

    @cached_property
    def _used_by_settings(self) -> Mapping[str, str]:
        """File that files of configuration import or name -> one of them."""
        found: dict[str, str] = {}
        paths = [path for path in sorted(self._tree.files.blobs) if script_settings_role(path)]
        for path in paths:
            open_ = [*self._named_by(path)]
            while open_:
                item = open_.pop()
                if item not in found:
                    found[item] = path
                    open_.extend(self._tree.imported_files(item) if is_script(item) else ())
        return found

    def _named_by(self, path: str) -> Iterator[str]:
        """Yield the files that a file of configuration imports, or that its keys run outside of tests."""
        if path.endswith(_CONFIGURATION_SCRIPTS):
            yield from self._tree.imported_files(path)
        for match in _OUTSIDE_OF_TESTS.finditer(self._tree.files.text(path)):
            for name in _QUOTED.finditer(match[1]):
                relative = name[1].replace("<rootDir>", ".").removeprefix("./")
                if found := self._tree.resolve_module(path, f"./{relative}"):
                    yield found

    def _unknown_reason(self, path: str) -> Reason | None:
        """Return the reason to run every test for a file that no code names."""
        if is_script(path) or is_declarations(path) or is_document(path) or tests_of_snapshot(path):
            return None
        if self._files_naming(path):
            return None
        return Cause.UNBOUNDED, f"{path} changed, and no code that uses it is known"

    def bounded_effects(self) -> ScriptEffects:
        files: dict[str, Reason] = {}
        tests: dict[str, Reason] = {}
        for path in self._others:
            snapshot = tests_of_snapshot(path)
            if snapshot:
                tests[snapshot] = (Cause.MENTIONS_FILE, f"its snapshots in {path} changed")
            for file in self._shadowed_files(path) if is_script(path) else self._files_naming(path):
                files.setdefault(
                    file, (Cause.MENTIONS_FILE, f"it loaded {file}, which names {path}, which changed")
                )
        return ScriptEffects(None, self._differences(), files, tests)

    def _differences(self) -> dict[str, tuple[ScriptDifference, ...]]:
        found: dict[str, list[ScriptDifference]] = {}
        for (path, blob), file in self._recording.files.items():
            if self._tree.files.blobs.get(path) != blob:
                found.setdefault(path, []).append(
                    script_difference(path, file.outline, self._outline_now(path))
                )
        for path in sorted(self._loaded) if self._base is not None else ():
            if self._base is not None and self._base.files.blobs.get(path) != self._tree.files.blobs.get(
                path
            ):
                before = self._base.outline(path) if path in self._base.files.blobs else None
                if before is not None:
                    found.setdefault(path, []).append(
                        script_difference(path, before, self._outline_now(path))
                    )
        return {path: tuple(each) for path, each in found.items()}

    def _outline_now(self, path: str) -> Outline | None:
        return self._tree.outline(path) if path in self._tree.files.blobs else None

    def _shadowed_files(self, path: str) -> Iterable[str]:
        """Return the loaded files in whose place a new script of nearly the same name can be loaded."""
        stem = _stem(path)
        return [file for file in sorted(self._loaded) if file != path and _stem(file) == stem]

    def _files_naming(self, path: str) -> list[str]:
        """Return the loaded files that name a file: with its suffix, or without it, or else its folder."""
        name = posixpath.basename(path)
        names = (name,) if is_document(path) else (name, name.partition(".")[0], *path.split("/")[-2:-1])
        for word in names:
            found = [file for file in sorted(self._loaded) if word in self._tree.files.text(file)]
            if len(word) >= _LEAST_NAME and found:
                return found
        return []


def _identities(tree: ScriptTree) -> dict[str, str]:
    return {path: identity(path, blob, tree.files.text) for path, blob in tree.files.blobs.items()}


def _stem(path: str) -> str:
    match = _SCRIPT_SUFFIX.search(path)
    return path[: match.start()] if match else path
