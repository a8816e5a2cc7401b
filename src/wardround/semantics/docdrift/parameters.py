"""What a change of parameters does to their documentation."""

from __future__ import annotations

from dataclasses import dataclass

from wardround.semantics.docdrift.model import DocEntry, DocumentedChange, Parameter

_DOCUMENTED_AT_LEAST = 2
_DOCUMENTED_SHARE = 2 / 3
"""Where fewer of the old parameters are documented, leaving one out was the habit."""
_WRAPPED = frozenset({"f", "fn", "func", "function"})
"""What a decorator calls the function it is given."""


@dataclass(frozen=True, slots=True)
class RemovedParameter:
    """A documented parameter that was taken out; ``now`` is the parameter that took its place."""

    entry: DocEntry
    now: str | None


def gone_parameters(change: DocumentedChange) -> list[RemovedParameter]:
    """The documented parameters that the change took out of the signature.

    Where the callable takes any keyword, they may still be taken, and nothing is said.
    """
    old, new = change.old.signature, change.new.signature
    if new.open_ended:
        return []
    taken = {*new.names, *new.collectors}
    entries = [e for e in change.words.parameters if e.name in old.names and e.name not in taken]
    return [RemovedParameter(entry, _took_place_of(change, entry.name)) for entry in entries]


def _took_place_of(change: DocumentedChange, name: str) -> str | None:
    """The new parameter at the place of a removed one, where all others stayed as they were."""
    old, new = change.old.signature.names, change.new.signature.names
    place = old.index(name)
    if len(old) != len(new) or new[place] in old:
        return None
    return new[place]


def undocumented_parameters(change: DocumentedChange) -> list[Parameter]:
    """The parameters the change brought that the words don't name, though they document the others."""
    if not change.is_public or not _documents_its_parameters(change):
        return []
    first = change.new.signature.names[:1]
    return [parameter for parameter in unnamed_parameters(change) if parameter.name not in first]


def unnamed_parameters(change: DocumentedChange) -> list[Parameter]:
    """The parameters the change brought that the words don't name; not private ones, nor those renamed."""
    old = change.old.signature
    renamed = {gone.now for gone in gone_parameters(change)}
    known = {*old.names, *old.collectors, *change.words.named, *renamed, *_WRAPPED}
    return [
        parameter
        for parameter in change.new.signature.parameters
        if parameter.name not in known
        and not parameter.name.startswith("_")
        and not parameter.name.isupper()  # a constant, bound early for speed
    ]


def _documents_its_parameters(change: DocumentedChange) -> bool:
    """Whether the words document most of the old parameters, and two that are still there."""
    documented = {entry.name for entry in change.words.parameters}
    old, new = change.old.signature.names, change.new.signature.names
    kept = documented.intersection(new)
    share = len(documented.intersection(old)) / max(len(old), 1)
    return len(kept) >= _DOCUMENTED_AT_LEAST and share >= _DOCUMENTED_SHARE
