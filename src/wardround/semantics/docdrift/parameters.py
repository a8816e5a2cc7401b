"""The effect of changed parameters on their documentation."""

from __future__ import annotations

from dataclasses import dataclass

from wardround.semantics.docdrift.model import DocEntry, DocumentedChange, Parameter

_DOCUMENTED_AT_LEAST = 2
_DOCUMENTED_SHARE = 2 / 3
"""If the share of documented old parameters is below this, omitting one was the convention."""
_WRAPPED = frozenset({"f", "fn", "func", "function"})
"""Names by which decorators call the decorated function."""


@dataclass(frozen=True, slots=True)
class RemovedParameter:
    """A documented parameter that was removed; ``now`` is its replacement."""

    entry: DocEntry
    now: str | None


def removed_documented_parameters(change: DocumentedChange) -> list[RemovedParameter]:
    """Return the documented parameters that the change removed from the signature.

    None if the callable accepts any keyword, because they may still be accepted.
    """
    old, new = change.old.signature, change.new.signature
    if new.open_ended:
        return []
    used = {*new.names, *new.collectors}
    entries = [e for e in change.words.parameters if e.name in old.names and e.name not in used]
    return [RemovedParameter(entry, _replacement_of(change, entry.name)) for entry in entries]


def _replacement_of(change: DocumentedChange, name: str) -> str | None:
    """Return the new parameter at the position of a removed one, if all others are unchanged."""
    old, new = change.old.signature.names, change.new.signature.names
    location = old.index(name)
    if len(old) != len(new) or new[location] in old:
        return None
    return new[location]


def undocumented_parameters(change: DocumentedChange) -> list[Parameter]:
    """Return the added parameters that the documentation omits, though it covers the others."""
    if not change.is_public or not _documents_its_parameters(change):
        return []
    first = change.new.signature.names[:1]
    return [parameter for parameter in unnamed_parameters(change) if parameter.name not in first]


def unnamed_parameters(change: DocumentedChange) -> list[Parameter]:
    """Return the added parameters that the documentation omits, except private and renamed ones."""
    old = change.old.signature
    renamed = {removed.now for removed in removed_documented_parameters(change)}
    known = {*old.names, *old.collectors, *change.words.named, *renamed, *_WRAPPED}
    return [
        parameter
        for parameter in change.new.signature.parameters
        if parameter.name not in known
        and not parameter.name.startswith("_")
        and not parameter.name.isupper()  # a constant, bound early for speed
    ]


def _documents_its_parameters(change: DocumentedChange) -> bool:
    """Return True if most of the old parameters are documented, and at least two that still exist."""
    documented = {entry.name for entry in change.words.parameters}
    old, new = change.old.signature.names, change.new.signature.names
    retained = documented.intersection(new)
    share = len(documented.intersection(old)) / max(len(old), 1)
    return len(retained) >= _DOCUMENTED_AT_LEAST and share >= _DOCUMENTED_SHARE
