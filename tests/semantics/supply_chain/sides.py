"""The notes about two sides of a small repository."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.semantics.supply_chain.analysis import BothTexts, is_relevant, supply_chain_notes
from wardround.semantics.supply_chain.notes import SupplyChainNotes


def notes_between(
    base: Mapping[str, str], head: Mapping[str, str], unchanged: Mapping[str, str] | None = None
) -> SupplyChainNotes:
    """Compare two sides; ``unchanged`` are files of both."""
    paths = sorted({*base, *head})
    files = [BothTexts(path, base.get(path), head.get(path)) for path in paths if is_relevant(path)]
    return supply_chain_notes(files, (unchanged or {}).get)


def found(notes: SupplyChainNotes) -> set[tuple[str, str, str]]:
    """Group, kind and name of each note."""
    return (
        {("dependency", one.change.value, one.name) for one in notes.dependencies}
        | {("lock", one.change.value, one.name) for one in notes.locks}
        | {("install", one.kind, one.name) for one in notes.installs}
    )
