"""The functions further up the stack through which tests called the targets, as targets of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from wardround.change.diff import Change
from wardround.workflows.behaviour.definitions import Definition, Definitions, definitions
from wardround.workflows.behaviour.stages import RecordedEntry
from wardround.workflows.behaviour.targets import Target, Targets

_ROLES = ("", "getter")
ReadPath = Callable[[str], str]
"""Takes a path of a tree; returns the content, empty if there is none."""


def add_entries(
    targets: Targets, entries: Sequence[RecordedEntry], change: Change, base: ReadPath, head: ReadPath
) -> Targets:
    """Add the entries of a run of tests, in their order; one that base or head lacks reaches nothing.

    Args:
        entries: as code in the sandbox reported them.
    """
    moved = {file.base_path: file.path for file in change.files if file.base_path}
    added = tuple(
        _entry(entry, targets.targets, moved.get(entry.path, entry.path), base, head) for entry in entries
    )
    return msgspec.structs.replace(targets, targets=(*targets.targets, *added))


def _entry(
    entry: RecordedEntry, targets: Sequence[Target], path: str, base: ReadPath, head: ReadPath
) -> Target:
    before, after = (
        _find_definition(definitions(side), entry.name) for side in (base(entry.path), head(path))
    )
    if before is None or after is None:
        missing = Definition(entry.name, "", "", 1)
        return Target(entry.path, path, missing, missing, is_changed=False, is_entry=True)
    reached = [targets[at] for at in entry.reaches if 0 <= at < len(targets)]
    changed = [function for function in reached if function.is_changed]
    constants = tuple(constant for function in changed for constant in function.constants)
    reaches = tuple(function.key for function in changed)
    return Target(
        entry.path, path, before, after, is_changed=False, reaches=reaches, constants=constants, is_entry=True
    )


def _find_definition(file: Definitions, name: str) -> Definition | None:
    if name in file.repeated:
        return None
    return next((file.functions[name, role] for role in _ROLES if (name, role) in file.functions), None)
