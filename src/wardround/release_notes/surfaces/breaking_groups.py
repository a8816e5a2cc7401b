"""Breaking changes that users read as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wardround.context.surface.model import SurfaceKind
from wardround.release_notes.surfaces.attribution import Cause
from wardround.release_notes.surfaces.surface_break import SurfaceBreak

_SHOWN = 2
"""The number of further symbols that a sentence names."""
Group = Sequence[SurfaceBreak]
"""At least one change; the first has the shortest symbol."""


def group_breaks(found: Iterable[tuple[SurfaceBreak, Cause]]) -> list[tuple[Group, Cause]]:
    """Group the same change of several symbols by the same commits.

    What belongs to a removed class or module is left out, and the attribute of a removed argument.
    """
    groups: dict[object, tuple[list[SurfaceBreak], Cause]] = {}
    pairs = list(found)
    kept = set(map(id, without_members([change for change, _ in pairs])))
    for change, cause in pairs:
        if id(change) not in kept:
            continue
        groups.setdefault((_key(change), cause), ([], cause))[0].append(change)
    return [(sorted(group, key=_rank), cause) for group, cause in groups.values()]


def further_symbols(group: Group) -> str:
    """Return the other symbols of a group for the end of its sentence; empty if there are none."""
    others = list(dict.fromkeys(change.symbol for change in group if change.symbol != group[0].symbol))
    if not others:
        return ""
    shown = [f"`{symbol}`" for symbol in others[:_SHOWN]]
    if len(others) > _SHOWN:
        shown.append(f"{len(others) - _SHOWN} more")
    return f", and of {', '.join(shown)}" if group[0].signature else f", and {', '.join(shown)}"


def without_members(found: Sequence[SurfaceBreak]) -> list[SurfaceBreak]:
    """Return changes without those of members of a removed owner, and of the attribute of an argument."""
    owners = tuple(f"{change.symbol}." for change in found if change.is_removal)
    arguments = {
        (change.change.path, f"{change.qualified.removesuffix('.__init__')}.{name}")
        for change in found
        if change.signature is not None
        for name in change.signature.removed
    }
    return [
        change
        for change in found
        if not change.symbol.startswith(owners) and (change.change.path, change.qualified) not in arguments
    ]


def _key(change: SurfaceBreak) -> object:
    if change.change.kind is SurfaceKind.DEPENDENCIES and change.change.name == "requires-python":
        return change.change.name, change.base.form, change.head.form  # one line for several packages
    if change.change.kind is not SurfaceKind.PYTHON_API:
        return change.change
    return change.signature or (change.own_name, change.change.detail)


def _rank(change: SurfaceBreak) -> tuple[int, str, int]:
    """Order by the length of the path, and then by line: a class follows the one that it extends."""
    return change.symbol.count("."), change.change.path, change.change.line
