"""The section of the text report about the supply chain, trust boundaries and cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wardround.planes.evidence import Evidence
from wardround.reports.terminal import wrapped
from wardround.semantics.supply_chain.notes import (
    DependencyChange,
    DependencyNote,
    InstallNote,
    LockChange,
    LockNote,
    SupplyChainNotes,
)
from wardround.text.escaping import one_line

_LABEL = "supply chain: "
_MOST_NAMES = 6
_MOST_LINES = 6
_WORDS = {
    DependencyChange.WIDENED: "wider range",
    DependencyChange.UNPINNED: "no longer pinned",
    DependencyChange.SOURCE: "not from a registry",
    DependencyChange.REGISTRY: "other package index",
    DependencyChange.INTEGRITY: "no longer verified",
    DependencyChange.RUNTIME: "now at runtime",
}


def plane_note_lines(evidence: Evidence) -> Iterator[str]:
    """Return the lines of all notes, each kind shortened."""
    yield from _supply_chain(evidence.supply_chain)
    places = [f"{one.kind} {one.file}:{one.line}" for one in evidence.boundaries]
    if places:
        yield from wrapped(one_line(_listed(places)), 2, "trust boundary: ")
    cost = evidence.cost
    grown = [f"{g.file}:{g.line} {g.name}: {g.kind} {g.base} -> {g.head} ({g.path})" for g in cost.growth]
    weights = [f"{one.file}:{one.line}: {one.kind} {one.name}" for one in cost.weights]
    for label, texts in (("hot path: ", grown), ("weight: ", weights)):
        if texts:
            yield from wrapped(one_line(_listed(texts)), 2, label)


def _supply_chain(notes: SupplyChainNotes) -> Iterator[str]:
    """Return a line for each kind of change and for each inconsistency, shortened; JSON has all of them."""
    for change in DependencyChange:
        named = [_named(one) for one in notes.dependencies if one.change is change]
        if named:
            names = list(dict.fromkeys(named))
            yield from _wrapped(f"{_WORDS.get(change, change.value)}: {_listed(names)}")
    locks = [_lock(one) for one in notes.locks if one.change is not LockChange.LOCK_ONLY]
    yield from _limited([*locks, *map(_install, notes.installs)])


def _named(one: DependencyNote) -> str:
    loosened = one.change not in (DependencyChange.ADDED, DependencyChange.REMOVED)
    return f"{one.name} ({one.base or 'any'} -> {one.head or 'any'})" if loosened else one.name


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _lock(one: LockNote) -> str:
    return f"{one.file}:{one.line} {one.name}: {one.reason}" if one.name else f"{one.file}: {one.reason}"


def _install(one: InstallNote) -> str:
    return f"{one.file}:{one.line} {one.name}: {one.reason}"


def _limited(texts: Sequence[str]) -> Iterator[str]:
    for text in texts[:_MOST_LINES]:
        yield from _wrapped(text)
    if len(texts) > _MOST_LINES:
        yield from _wrapped(f"{len(texts) - _MOST_LINES} more")


def _wrapped(text: str) -> Sequence[str]:
    return wrapped(one_line(text), 2, _LABEL)
