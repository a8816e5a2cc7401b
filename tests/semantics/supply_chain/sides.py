"""The notes about base and head of a small repository."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.semantics.supply_chain.analysis import BothTexts, is_relevant, supply_chain_notes
from wardround.semantics.supply_chain.notes import SupplyChainNotes


def notes_between(
    base: Mapping[str, str], head: Mapping[str, str], unchanged: Mapping[str, str] | None = None
) -> SupplyChainNotes:
    """Compare base and head; ``unchanged`` are files of both."""
    paths = sorted({*base, *head})
    files = [BothTexts(path, base.get(path), head.get(path)) for path in paths if is_relevant(path)]
    return supply_chain_notes(files, (unchanged or {}).get)


def found(notes: SupplyChainNotes) -> set[tuple[str, str, str]]:
    """Group, kind and name of each note."""
    return (
        {("dependency", item.change.value, item.name) for item in notes.dependencies}
        | {("lock", item.change.value, item.name) for item in notes.locks}
        | {("install", item.kind, item.name) for item in notes.installs}
    )
