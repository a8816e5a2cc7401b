"""Runs, sequences and entries for tests of storages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from wardround.authoring.stages import Value
from wardround_lab.experiments.storage.model import Entry, EntryKind, Run, SequenceHeader, SequenceQuery
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage


def run(name: str = "first", **changes: Any) -> Run:
    values: dict[str, Any] = {
        "id": name,
        "experiment": "localization",
        "created": "2030-01-31T12:00:00Z",
        "version": "1",
        "instances": ("shop-1",),
        "instances_digest": "d",
        "settings": {"tokens": 4000},
        "notes": ("no endpoint",),
    }
    return Run(**{**values, **changes})


def header(
    instance: str = "shop-1", configuration: Mapping[str, Value] | None = None, **changes: Any
) -> SequenceHeader:
    values: dict[str, Any] = {
        "run": "first",
        "experiment": "localization",
        "configuration": configuration or {"retrieval": "words", "tokens": 4000},
        "repository": "shop",
        "created": "2030-01-31T12:00:00Z",
    }
    return SequenceHeader(instance=instance, **{**values, **changes})


def message(text: str, role: str = "user") -> Entry:
    return entry(EntryKind.MESSAGE, role, text)


def reward(name: str, value: float) -> Entry:
    return entry(EntryKind.REWARD, name, value)


def outcome(name: str = "completed") -> Entry:
    return entry(EntryKind.OUTCOME, name, name)


def entry(kind: EntryKind, name: str, content: object, key: str = "") -> Entry:
    return Entry(kind, name, msgspec.Raw(msgspec.json.encode(content)), key)


def add(storage: SequenceStorage, sequence: SequenceHeader, *entries: Entry) -> str:
    """Begin a sequence with entries."""
    storage.begin(sequence)
    storage.append(sequence.id, 0, entries)
    return sequence.id


def found(storage: SequenceStorage, **conditions: Any) -> list[str]:
    """The instances of the sequences that meet the conditions."""
    return [summary.header.instance for summary in storage.find(SequenceQuery(**conditions))]
