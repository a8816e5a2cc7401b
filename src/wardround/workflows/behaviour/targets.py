"""The functions whose calls are compared: changed ones, and public callers of private ones among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from wardround.change.diff import Change, ChangedFile
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
    """A function that both sides of a change define.

    Attributes:
        is_changed: its syntax differs, or the value of a name that its file or class binds and that it
            mentions; others are public callers of changed private functions.
        reaches: ``FILE::FUNCTION`` at the head of those private functions.
        constants: of the function and of those that it reaches, for inputs near them.
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
        altered = [one for one in {**before, **after} if before.get(one) != after.get(one)]
        return {one: [before.get(one, "None"), after.get(one, "None"), "None"] for one in altered}


class Targets(msgspec.Struct, frozen=True):
    """The functions of a change.

    Attributes:
        remade: ``path::class`` of classes whose objects can have another state if they are made after the
            change.
        renamed: names of removed classes, and of added ones.
        replaced: text literals that the change removes.
    """

    targets: tuple[Target, ...] = ()
    not_compared: tuple[NotCompared, ...] = ()
    remade: frozenset[str] = frozenset()
    renamed: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    replaced: frozenset[str] = frozenset()


def find_targets(
    change: Change, text: ReadText, request: str, most: int, others: OtherFiles = no_other_files
) -> Targets:
    """Compare the syntax of both sides of the changed Python files.

    Args:
        text: the text of a blob; None if it cannot be read.
        request: ``FILE::FUNCTION`` or ``FILE`` at the head; empty for all.
        most: the number of functions.
        others: the unchanged files in which public callers of private functions are searched.
    """
    files = [
        _ComparedFile(one.base_path or one.path, one.path, *_sides(one, text))
        for one in sorted(change.files, key=lambda one: one.path)
        if _is_source(one)
    ]
    left: list[NotCompared] = []
    found = _Choice(files, others).targets([one for one in files if one.base.functions], left)
    requested = [one for one in found if any(_is_in(key, request) for key in (one.key, *one.reaches))]
    requested.sort(key=lambda one: not one.is_changed)
    left = [one for one in left if _is_in(f"{one.path}::{one.function}", request)]
    over = [
        NotCompared(one.path, one.name, f"at most {most} functions are compared")
        for one in requested[most:]
        if one.is_changed
    ]
    remade = frozenset(name for one in files for name in one.remade)
    replaced = frozenset().union(*(one.base.texts for one in files))
    replaced = replaced.difference(*(one.head.texts for one in files))
    return Targets(tuple(requested[:most]), (*left, *over), remade, _renamed(files), replaced)


def _sides(file: ChangedFile, text: ReadText) -> tuple[Definitions, Definitions]:
    return definitions(text(file.base_blob) or ""), definitions(text(file.head_blob) or "")


def _renamed(files: Sequence[_ComparedFile]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    removed = [name for one in files for name in sorted({*one.base.classes} - {*one.head.classes})]
    added = [name for one in files for name in sorted({*one.head.classes} - {*one.base.classes})]
    return tuple(removed), tuple(added)


def _is_in(key: str, request: str) -> bool:
    """Return True if ``FILE::FUNCTION``, ``FILE`` or no text names a function."""
    return not request or request in (key, key.partition("::")[0])


def _is_source(file: ChangedFile) -> bool:
    return file.is_regular and file.path.endswith(".py") and not is_test_path(file.path)


class _ComparedFile(msgspec.Struct, frozen=True):
    """The definitions of a file on both sides."""

    base_path: str
    path: str
    base: Definitions
    head: Definitions

    @property
    def remade(self) -> Iterator[str]:
        """``path::class`` of classes whose objects can have another state if the head makes them."""
        for name, state in self.base.classes.items():
            if self.head.classes.get(name, state).is_remade_from(state):
                yield f"{self.base_path}::{name}"

    def changed(self, left: list[NotCompared]) -> Iterator[FunctionKey]:
        """Yield the changed functions; add those that are not compared to ``left``."""
        before, after = self.base.constants, self.head.constants
        bound = {name for name, digest in before.items() if after.get(name, digest) != digest}
        for key, one in self.base.functions.items():
            other = self.head.functions.get(key)
            if other is None or (other.digest == one.digest and bound.isdisjoint(one.mentions)):
                continue
            if reason := _exclusion(key[0], self._repeated):
                left.append(NotCompared(self.path, key[0], reason))
            else:
                yield key

    @property
    def _repeated(self) -> frozenset[str]:
        return self.base.repeated | self.head.repeated

    def has_both(self, key: FunctionKey) -> bool:
        return key in self.base.functions and key in self.head.functions and key[0] not in self._repeated

    def constants(self, key: FunctionKey) -> list[Constant]:
        return _constants(self.base.functions[key], self.head.functions[key])


class _Choice:
    """The targets of changed files, and of the files in which their public callers are."""

    def __init__(self, files: Sequence[_ComparedFile], others: OtherFiles) -> None:
        self._files = {one.base_path: one for one in files}
        self._others = others

    def targets(self, files: Sequence[_ComparedFile], left: list[NotCompared]) -> Iterator[Target]:
        changed = [(one.base_path, key) for one in files for key in one.changed(left)]
        reached = self._reached(changed)
        for one in changed:
            yield self._target(one, reached.pop(one, []), is_changed=True)
        for one, private in reached.items():
            if self._files[one[0]].has_both(one[1]):
                yield self._target(one, private, is_changed=False)

    def _reached(self, changed: Sequence[PlacedKey]) -> dict[PlacedKey, list[PlacedKey]]:
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
        for path, one in found.items():
            self._files.setdefault(path, _ComparedFile(path, path, one, one))
        return found

    def _target(self, placed: PlacedKey, private: Sequence[PlacedKey], *, is_changed: bool) -> Target:
        file, key = self._files[placed[0]], placed[1]
        inner = [one for each, name in private for one in self._files[each].constants(name)]
        below = public_class_below(file.base.functions[key], file.base_path, file.base, self._others)
        base, head = (
            msgspec.structs.replace(one.functions[key], exposed_as=below) for one in (file.base, file.head)
        )
        return Target(
            file.base_path, file.path, base, head, is_changed,
            tuple(f"{self._files[each].path}::{name}" for each, (name, _) in private),
            (*file.constants(key), *inner),
        )  # fmt: skip


def _constants(base: Definition, head: Definition) -> list[Constant]:
    """Return the constants of both versions; those that only one has are twice in it, as they matter more."""
    sides = base.constants, head.constants
    changed = [one for side, other in (sides, sides[::-1]) for one in side if one not in other]
    return [*changed, *changed, *(one for one in sides[0] if one in sides[1])]


def _exclusion(name: str, repeated: frozenset[str]) -> str:
    """Return the reason for which a function is not compared; empty if it can be."""
    if name in repeated:
        return "it has several definitions"
    return "its result is a hash" if name.rpartition(".")[2] == "__hash__" else ""
