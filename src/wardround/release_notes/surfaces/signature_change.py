"""The differences of two signatures that calls do not survive."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

import msgspec

from wardround.release_notes.surfaces.declaration import ORDER, Declaration, Parameter

_VARIADIC = ("*", "**")
_BY_POSITION = ("positional", "any")
_LEAST_SIMILARITY = 0.7
"""The least similarity of the names of an optional parameter that is renamed: `dumper` and `dumps`."""
_MOST_POSITIONAL = 2
"""Arguments from the third on are hardly passed by position."""


class SignatureChange(msgspec.Struct, frozen=True):
    """The changes that callers have to make.

    Attributes:
        renamed: old and new names at the same position.
        required: parameters that are new and required.
        demanded: parameters whose default is removed.
        moved: the first parameter that follows new ones before it; empty if none does.
        restricted: parameters that are passed only by position or only by name, with the kind.
    """

    removed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    required: tuple[str, ...] = ()
    demanded: tuple[str, ...] = ()
    moved: str = ""
    restricted: tuple[tuple[str, str], ...] = ()

    @property
    def is_breaking(self) -> bool:
        """False if no call needs a change."""
        return self != SignatureChange()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, at the base and at the head."""
        pairs = (name for pair in self.renamed for name in pair)
        restricted = (name for name, _ in self.restricted)
        moved = (self.moved,) if self.moved else ()
        return (*self.removed, *pairs, *self.required, *self.demanded, *moved, *restricted)


def signature_change(base: Declaration, head: Declaration) -> SignatureChange:
    """Compare two signatures of a function."""
    before = {parameter.name: parameter for parameter in base.parameters}
    after = {parameter.name: parameter for parameter in head.parameters}
    replaced = _replaced_names(base.parameters, head.parameters)
    lost = [before[name] for name in before if name not in after and name not in replaced]
    replacements = set(replaced.values())
    added = [after[name] for name in after if name not in before and name not in replacements]
    kept = [(before[name], after[name]) for name in before if name in after]
    surplus = next((item.location for item in base.parameters if item.kind == "*"), sys.maxsize)
    required = tuple(
        parameter.name for parameter in added if parameter.is_required and not _is_surplus(parameter, surplus)
    )
    return SignatureChange(
        removed=tuple(
            parameter.label
            for parameter in lost
            if _is_missed(parameter, head.parameters) and not (added and parameter.kind in _VARIADIC)
        ),
        renamed=tuple(
            (old, new) for old, new in replaced.items() if _is_called_by_name(before[old], after[new])
        ),
        required=required,
        demanded=tuple(new.name for old, new in kept if new.is_required and not old.is_required),
        moved="" if required else _first_moved(kept, lost, head.parameters),
        restricted=tuple(_restrictions(kept)),
    )


def _replaced_names(base: Sequence[Parameter], head: Sequence[Parameter]) -> dict[str, str]:
    """Return the parameters of the base that another one replaces at the same position."""
    before, after = {item.name for item in base}, {item.name for item in head}
    by_location = {item.location: item for item in head}
    found = {}
    for parameter in base:
        other = by_location.get(parameter.location)
        if other is None or parameter.name in after or other.name in before:
            continue
        if _is_alike(parameter, other):
            found[parameter.name] = other.name
    return found


def _is_alike(old: Parameter, new: Parameter) -> bool:
    """Return True if one parameter can be the other one under a new name."""
    if old.kind == "*":
        return new.kind in (*_BY_POSITION, "*")
    if old.kind in _BY_POSITION and old.is_required:
        return new.kind in _BY_POSITION
    has_same_form = old.kind == new.kind and old.default == new.default
    return has_same_form and _is_similar(old.name, new.name)


def _is_similar(name: str, other: str) -> bool:
    return SequenceMatcher(None, name, other).ratio() >= _LEAST_SIMILARITY


def _is_called_by_name(old: Parameter, new: Parameter) -> bool:
    """Return True if users may have passed a parameter by its old name."""
    return old.kind in ("any", "keyword") and not old.name.startswith("_")


def _is_missed(parameter: Parameter, head: Sequence[Parameter]) -> bool:
    """Return True if a call with a removed parameter fails."""
    kinds = {item.kind for item in head}
    if parameter.kind in _VARIADIC:
        return True
    by_position = "*" not in kinds and parameter.kind in _BY_POSITION
    by_name = "**" not in kinds and parameter.kind in ("any", "keyword")
    return (by_position or by_name) and not (parameter.name.startswith("_") and not parameter.is_required)


def _is_surplus(parameter: Parameter, surplus: int) -> bool:
    """Return True if calls have passed a new parameter among any number of arguments."""
    return parameter.kind in _BY_POSITION and parameter.location >= surplus


def _first_moved(
    kept: Sequence[tuple[Parameter, Parameter]], lost: Sequence[Parameter], head: Sequence[Parameter]
) -> str:
    """Return the first parameter that is passed by position and has another one; empty if none has.

    Args:
        lost: parameters whose removal moves those behind them, which counts as the removal only.
        head: all parameters.
    """
    for old, new in sorted(kept, key=lambda pair: pair[0].location):
        before = old.location - sum(item.location < old.location for item in lost)
        if not {old.kind, new.kind} <= set(_BY_POSITION) or before == new.location:
            continue
        if old.location < _MOST_POSITIONAL and not _is_taken_over(old, before, head):
            return old.name
        return ""
    return ""


def _is_taken_over(old: Parameter, location: int, head: Sequence[Parameter]) -> bool:
    """Return True if a parameter with a similar name takes the arguments of one that moves."""
    return any(item.location == location and _is_similar(item.name, old.name) for item in head)


def _restrictions(kept: Sequence[tuple[Parameter, Parameter]]) -> Iterator[tuple[str, str]]:
    for old, new in kept:
        if old.kind == "any" and new.kind in ("positional", "keyword") and not old.name.startswith("_"):
            yield old.name, new.kind


def facets_of(change: SignatureChange, base: Declaration) -> Mapping[str, str]:
    """Return the facets of the base that a change is about; that of a new parameter is empty."""
    names = (*change.names, ORDER) if change.moved else change.names
    names = tuple(name.lstrip("*") for name in names)
    return {name: base.facets.get(name, "") for name in names}
