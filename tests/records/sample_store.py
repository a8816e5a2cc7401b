"""Stores with records, for the tests of either kind."""

from __future__ import annotations

from typing import Any

from tests.records.places import Place
from tests.records.sample_reviews import FACTS, record
from wardround.records import store
from wardround.records.bundle import Bundle
from wardround.records.store import ChainBreak


def bundle_of(number: int, **changes: Any) -> Bundle:
    """A record that differs from others by its number."""
    return record(None, evidence={"number": number}, **changes)


def filled(place: Place, count: int = 5) -> list[str]:
    """Digests of records appended to a new store."""
    with store.open_store(place.location) as records:
        return [records.append(bundle_of(number), FACTS) for number in range(count)]


def chain_break(place: Place) -> ChainBreak | None:
    with store.open_store(place.location) as records:
        return records.verify_chain()
