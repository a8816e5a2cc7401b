"""The functions whose calls are compared: changed ones, and public callers of private ones among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from wardround.change.change_source import decode_text
from wardround.change.diff import Change, ChangedFile
from wardround.change.repository import Repository
from wardround.context.run_evidence import NotCompared
from wardround.languages.python.module import is_test_path
from wardround.workflows.behaviour.definitions import Definition, Definitions, definitions
from wardround.workflows.behaviour.exposed_classes import public_class_below
from wardround.workflows.behaviour.public_callers import (
    FunctionKey,
    OtherFiles,
    PlacedKey,
    no_other_files,
    public_callers,
)  # fmt: skip

Constant = int | float | str
ReadText = Callable[[str | None], str | None]
"""Takes an object id."""


class Target(msgspec.Struct, frozen=True):
    """A function that both base and head define.

    Attributes:
        is_changed: its syntax differs, or the value of a name that its file or class binds and that it
            mentions; others are public callers of changed private functions.
        reaches: ``FILE::FUNCTION`` at the head of those private functions.
        constants: constants in the function and in those that it reaches, for inputs near them.
        is_entry: it was found while the tests ran: through it, they called the functions that it reaches.
    """

    base_path: str
    path: str
    base: Definition
    head: Definition
    is_changed: bool = True
    reaches: tuple[str, ...] = ()
    constants: tuple[Constant, ...] = ()
    is_entry: bool = False

    @property
    def name(self) -> str:
        return self.head.name

    @property
    def key(self) -> str:
        """``FILE::FUNCTION`` at the head."""
        return f"{self.path}::{self.name}"

    @property
    def explicit(self) -> dict[str, list[str]]:
        """Literals to pass for the parameters whose default the change alters: both defaults, and None."""
        before, after = self.base.defaults, self.head.defaults
        altered = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        return {name: [before.get(name, "None"), after.get(name, "None"), "None"] for name in altered}


class Targets(msgspec.Struct, frozen=True):
    """The functions of a change.

    Attributes:
        remade: ``path::class`` of classes whose objects can have another state if they are created after the
            change.
        renamed: names of removed classes, and of added ones.
        replaced: text literals that the change removes.
    """

    targets: tuple[Target, ...] = ()
    not_compared: tuple[NotCompared, ...] = ()
    remade: frozenset[str] = frozenset()
    renamed: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    replaced: frozenset[str] = frozenset()


def blob_texts(repository: Repository) -> ReadText:
    """Return the reader of the blobs of a repository."""

    def text(blob: str | None) -> str | None:
        content = None if blob is None else repository.blobs.get(blob)
        return None if content is None else decode_text(content)

    return text


def find_targets(
    change: Change, text: ReadText, request: str, most: int, others: OtherFiles = no_other_files
) -> Targets:
    """Compare the syntax of the changed Python files at base and head.

    Args:
        text: the content of a blob; None if it cannot be read.
        request: ``FILE::FUNCTION`` or ``FILE`` at the head; empty for all.
        most: the number of functions.
        others: the unchanged files in which public callers of private functions are searched.
    """
    files = _compared_files(change, text)
    left: list[NotCompared] = []
    found = _Choice(files, others).targets([file for file in files if file.base.functions], left)
    requested = [target for target in found if _is_requested(target, request)]
    requested.sort(key=lambda target: not target.is_changed)
    left = [skipped for skipped in left if _is_in(f"{skipped.path}::{skipped.function}", request)]
    over = [
        NotCompared(target.path, target.name, f"at most {most} functions are compared")
        for target in requested[most:]
        if target.is_changed
    ]
    remade = frozenset(name for file in files for name in file.remade)
    return Targets(
        tuple(requested[:most]), (*left, *over), remade, _renamed_classes(files), _removed_strings(files)
    )


def _compared_files(change: Change, text: ReadText) -> list[_ComparedFile]:
    sources = sorted(filter(_is_source, change.files), key=lambda file: file.path)
    return [
        _ComparedFile(file.base_path or file.path, file.path, *_definitions_at_base_and_head(file, text))
        for file in sources
    ]


def _is_requested(target: Target, request: str) -> bool:
    """Return True if a target, or a function that it reaches, is requested."""
    return any(_is_in(key, request) for key in (target.key, *target.reaches))


def _removed_strings(files: Sequence[_ComparedFile]) -> frozenset[str]:
    """Return the strings that only the base contains."""
    base = frozenset().union(*(file.base.texts for file in files))
    return base.difference(*(file.head.texts for file in files))


def _definitions_at_base_and_head(file: ChangedFile, text: ReadText) -> tuple[Definitions, Definitions]:
    return definitions(text(file.base_blob) or ""), definitions(text(file.head_blob) or "")


def _renamed_classes(files: Sequence[_ComparedFile]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    removed = [name for file in files for name in sorted({*file.base.classes} - {*file.head.classes})]
    added = [name for file in files for name in sorted({*file.head.classes} - {*file.base.classes})]
    return tuple(removed), tuple(added)


def _is_in(key: str, request: str) -> bool:
    """Return True if ``FILE::FUNCTION``, ``FILE`` or no text names a function."""
    return not request or request in (key, key.partition("::")[0])


def _is_source(file: ChangedFile) -> bool:
    return file.is_regular and file.path.endswith(".py") and not is_test_path(file.path)


class _ComparedFile(msgspec.Struct, frozen=True):
    """The definitions of a file at base and head."""

    base_path: str
    path: str
    base: Definitions
    head: Definitions

    @property
    def remade(self) -> Iterator[str]:
        """``path::class`` of classes whose objects can have another state if the head creates them."""
        for name, state in self.base.classes.items():
            if self.head.classes.get(name, state).is_remade_from(state):
                yield f"{self.base_path}::{name}"

    def changed_functions(self, left: list[NotCompared]) -> Iterator[FunctionKey]:
        """Yield the changed functions; add those that are not compared to ``left``."""
        before, after = self.base.constants, self.head.constants
        bound = {name for name, digest in before.items() if after.get(name, digest) != digest}
        for key, function in self.base.functions.items():
            other = self.head.functions.get(key)
            if other is None or (other.digest == function.digest and bound.isdisjoint(function.mentions)):
                continue
            if reason := _exclusion(key[0], self._repeated_names):
                left.append(NotCompared(self.path, key[0], reason))
            else:
                yield key

    @property
    def _repeated_names(self) -> frozenset[str]:
        return self.base.repeated | self.head.repeated

    def has_both(self, key: FunctionKey) -> bool:
        return (
            key in self.base.functions and key in self.head.functions and key[0] not in self._repeated_names
        )

    def constants(self, key: FunctionKey) -> list[Constant]:
        return _constants(self.base.functions[key], self.head.functions[key])


class _Choice:
    """The targets of changed files, and of the files in which their public callers are."""

    def __init__(self, files: Sequence[_ComparedFile], others: OtherFiles) -> None:
        self._files = {file.base_path: file for file in files}
        self._others = others

    def targets(self, files: Sequence[_ComparedFile], left: list[NotCompared]) -> Iterator[Target]:
        changed = [(file.base_path, key) for file in files for key in file.changed_functions(left)]
        reached = self._reached_callers(changed)
        for key in changed:
            yield self._target(key, reached.pop(key, []), is_changed=True)
        for key, private in reached.items():
            if self._files[key[0]].has_both(key[1]):
                yield self._target(key, private, is_changed=False)

    def _reached_callers(self, changed: Sequence[PlacedKey]) -> dict[PlacedKey, list[PlacedKey]]:
        """Return the public callers of the private functions among changed ones, with those functions."""
        found: dict[PlacedKey, list[PlacedKey]] = {}
        for path, key in changed:
            file = self._files[path].base
            if file.functions[key].is_private:
                for caller in public_callers(file.functions[key], path, file, self._elsewhere):
                    found.setdefault(caller, []).append((path, key))
        return found

    def _elsewhere(self, names: frozenset[str]) -> Mapping[str, Definitions]:
        found = self._others(names)
        for path, content in found.items():
            self._files.setdefault(path, _ComparedFile(path, path, content, content))
        return found

    def _target(self, placed: PlacedKey, private: Sequence[PlacedKey], *, is_changed: bool) -> Target:
        file, key = self._files[placed[0]], placed[1]
        inner = [constant for each, name in private for constant in self._files[each].constants(name)]
        below = public_class_below(file.base.functions[key], file.base_path, file.base, self._others)
        base, head = (
            msgspec.structs.replace(side.functions[key], exposed_as=below) for side in (file.base, file.head)
        )
        return Target(
            file.base_path, file.path, base, head, is_changed,
            tuple(f"{self._files[each].path}::{name}" for each, (name, _) in private),
            (*file.constants(key), *inner),
        )  # fmt: skip


def _constants(base: Definition, head: Definition) -> list[Constant]:
    """Return the constants of both versions; those that only one has are included twice, as they matter
    more.
    """
    sides = base.constants, head.constants
    changed = [constant for side, other in (sides, sides[::-1]) for constant in side if constant not in other]
    return [*changed, *changed, *(constant for constant in sides[0] if constant in sides[1])]


def _exclusion(name: str, repeated: frozenset[str]) -> str:
    """Return the reason for which a function is not compared; empty if it can be."""
    if name in repeated:
        return "it has several definitions"
    return "its result is a hash" if name.rpartition(".")[2] == "__hash__" else ""
