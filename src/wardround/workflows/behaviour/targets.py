"""The functions whose calls are compared: changed ones, and public callers of private ones among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from wardround.change.diff import Change, ChangedFile
from wardround.context.run_evidence import NotCompared
from wardround.languages.python.module import is_test_path
from wardround.workflows.behaviour.definitions import Definition, Definitions, definitions

FunctionKey = tuple[str, str]
"""The qualified name of a function, and its role in a property."""
_MOST_STEPS = 4
_MOST_CALLERS = 4
ReadText = Callable[[str | None], str | None]
"""Takes an object id."""


class Target(msgspec.Struct, frozen=True):
    """A function that both sides of a change define.

    Attributes:
        is_changed: its syntax differs, or the value of a name that its file or class binds and that it
            mentions; others are public callers of changed private functions.
        reaches: the names of those private functions, in the same file.
        constants: of the function and of those that it reaches, for inputs near them.
    """

    base_path: str
    path: str
    base: Definition
    head: Definition
    is_changed: bool = True
    reaches: tuple[str, ...] = ()
    constants: tuple[int | float | str, ...] = ()

    @property
    def name(self) -> str:
        return self.head.name

    def matches(self, request: str) -> bool:
        """Return True if ``FILE::FUNCTION``, ``FILE`` or no text names it."""
        path, _, name = request.partition("::")
        return not request or (path == self.path and name in ("", self.name))


class Targets(msgspec.Struct, frozen=True):
    """The functions of a change.

    Attributes:
        remade: ``path::class`` of classes whose objects can have another state if they are made after the
            change.
        renamed: names of removed classes, and of added ones.
    """

    targets: tuple[Target, ...] = ()
    not_compared: tuple[NotCompared, ...] = ()
    remade: frozenset[str] = frozenset()
    renamed: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


def find_targets(change: Change, text: ReadText, request: str, most: int) -> Targets:
    """Compare the syntax of both sides of the changed Python files.

    Args:
        text: the text of a blob; None if it cannot be read.
        request: ``FILE::FUNCTION`` or ``FILE`` at the head; empty for all.
        most: the number of functions.
    """
    found: list[Target] = []
    left: list[NotCompared] = []
    remade: set[str] = set()
    removed: list[str] = []
    added: list[str] = []
    for file in sorted(change.files, key=lambda one: one.path):
        if not _is_source(file):
            continue
        base, head = (definitions(text(blob) or "") for blob in (file.base_blob, file.head_blob))
        if file.base_path is not None:
            found += _of_file(file, base, head, left)
            remade |= {
                f"{file.base_path}::{name}"
                for name, digest in base.classes.items()
                if head.classes.get(name, digest) != digest
            }
        removed += sorted({*base.classes} - {*head.classes})
        added += sorted({*head.classes} - {*base.classes})
    requested = [one for one in found if one.matches(request) or (one.reaches and _reaches(one, request))]
    requested.sort(key=lambda one: not one.is_changed)
    left = [
        one for one in left if not request or f"{one.path}::{one.function}" == request or one.path == request
    ]
    over = [
        NotCompared(one.path, one.name, f"at most {most} functions are compared")
        for one in requested[most:]
        if one.is_changed
    ]
    return Targets(tuple(requested[:most]), (*left, *over), frozenset(remade), (tuple(removed), tuple(added)))


def _reaches(target: Target, request: str) -> bool:
    path, _, name = request.partition("::")
    return path == target.path and name in target.reaches


def _is_source(file: ChangedFile) -> bool:
    return file.is_regular and file.path.endswith(".py") and not is_test_path(file.path)


def _of_file(
    file: ChangedFile, base: Definitions, head: Definitions, left: list[NotCompared]
) -> Iterator[Target]:
    assert file.base_path is not None
    bound = {name for name, digest in base.constants.items() if head.constants.get(name, digest) != digest}
    changed = {
        key: one
        for key, one in base.functions.items()
        if key in head.functions
        and (head.functions[key].digest != one.digest or not bound.isdisjoint(one.mentions))
    }
    for key in sorted(changed):
        if reason := _exclusion(key[0], base.repeated | head.repeated):
            left.append(NotCompared(file.path, key[0], reason))
            del changed[key]
    reached = _public_callers([one for one in changed.values() if one.is_private], base)
    for key in changed:
        yield _target(file, key, base, head, reached.pop(key, []))
    for key, names in reached.items():
        if key in head.functions and key[0] not in base.repeated | head.repeated:
            yield _target(file, key, base, head, names, is_changed=False)


def _target(
    file: ChangedFile, key: FunctionKey, base: Definitions, head: Definitions, reaches: list[str],
    *, is_changed: bool = True,
) -> Target:  # fmt: skip
    keys = [key, *(one for one in base.functions if one[0] in reaches and one in head.functions)]
    constants = [one for each in keys for one in _constants(base.functions[each], head.functions[each])]
    sides = base.functions[key], head.functions[key]
    return Target(
        file.base_path or file.path, file.path, *sides, is_changed, tuple(reaches), tuple(constants)
    )


def _constants(base: Definition, head: Definition) -> list[int | float | str]:
    """Return the constants of both versions; those that only one has are twice in it, as they matter more."""
    sides = base.constants, head.constants
    changed = [one for side, other in (sides, sides[::-1]) for one in side if one not in other]
    return [*changed, *changed, *(one for one in sides[0] if one in sides[1])]


def _exclusion(name: str, repeated: frozenset[str]) -> str:
    """Return the reason for which a function is not compared; empty if it can be."""
    if name in repeated:
        return "it has several definitions"
    return "its result is a hash" if name.rpartition(".")[2] == "__hash__" else ""


def _public_callers(private: Sequence[Definition], base: Definitions) -> dict[tuple[str, str], list[str]]:
    """Return the nearest public functions of a file that lead to private ones, by the names they mention."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in private:
        callers: list[tuple[str, str]] = []
        reached, seen = {_called_name(one)}, {(one.name, one.role)}
        for _ in range(_MOST_STEPS):
            new = [
                key for key, other in base.functions.items() if key not in seen and reached & other.mentions
            ]
            seen.update(new)
            callers += [key for key in new if not base.functions[key].is_private]
            inner = [key for key in new if base.functions[key].is_private or _is_constructor(key[0])]
            reached = {_called_name(base.functions[key]) for key in inner}
            if len(callers) >= _MOST_CALLERS or not reached:
                break
        for key in callers[:_MOST_CALLERS]:
            found.setdefault(key, []).append(one.name)
    return found


def _is_constructor(name: str) -> bool:
    """Return True if the effect of a function is perhaps only seen where its class is used."""
    return name.rpartition(".")[2] in ("__init__", "__new__", "__post_init__")


def _called_name(definition: Definition) -> str:
    """Return the name by which code calls a function: of a special method, its class."""
    *around, name = definition.name.split(".")
    return around[-1] if around and name.startswith("__") and name.endswith("__") else name
