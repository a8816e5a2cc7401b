"""Old records are deleted on demand only, the oldest first, and the chain still holds."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

import psycopg
import pytest

from tests.records.places import Place
from tests.records.sample_reviews import FACTS
from tests.records.sample_store import bundle_of, chain_break, filled
from wardround.records import store
from wardround.records.retention import retention_of
from wardround.records.store import Query, Retention

AT = datetime(2030, 2, 10, 12, 0, 5, tzinfo=UTC)
"""Ten days after the records."""


@pytest.mark.parametrize(
    ("days", "newest", "deleted"),
    [(None, 2, 3), (None, 9, 0), (9, None, 5), (10, None, 0), (9, 2, 3), (10, 2, 0), (10**9, None, 0)],
)
def test_a_record_is_deleted_only_if_neither_age_nor_number_keeps_it(
    store_place: Place, days: int | None, newest: int | None, deleted: int
) -> None:
    digests = filled(store_place)
    retention = retention_of(days, newest, AT)
    with store.open_store(store_place.location) as records:
        planned = records.prunable(retention)
        assert len(records.query(Query())) == 5
        assert records.prune(retention) == planned
        assert [record.digest for record in reversed(planned)] == digests[:deleted]
        assert [record.digest for record in reversed(records.query(Query()))] == digests[deleted:]
        assert records.verify_chain() is None


def test_the_chain_goes_on_after_a_deletion_and_detects_changes(store_place: Place) -> None:
    filled(store_place)
    with store.open_store(store_place.location) as records:
        head = records.head()
        records.prune(Retention(newest=0))
        assert records.head() == head
        records.append(bundle_of(9), FACTS)
        records.append(bundle_of(10), FACTS)
        assert records.verify_chain() is None
        assert [record.sequence for record in records.query(Query())] == [7, 6]
    store_place.tamper(
        "DELETE FROM record_rules WHERE sequence = 6", "DELETE FROM records WHERE sequence = 6"
    )
    found = chain_break(store_place)
    assert found is not None
    assert (found.sequence, found.reason) == (6, "it is missing; the next record has the number 7")


def test_a_record_that_is_not_listed_as_deleted_cannot_be_deleted(store_place: Place) -> None:
    filled(store_place)
    with store.open_store(store_place.location) as records:
        records.prune(Retention(newest=3))
    for statement in (
        "DELETE FROM record_rules WHERE sequence = 3",
        "DELETE FROM records WHERE sequence = 3",
        "DELETE FROM pruned_records",
        "UPDATE pruned_records SET digest = ''",
    ):
        with pytest.raises((sqlite3.Error, psycopg.Error), match="is append-only"):
            store_place.execute(statement)
    assert chain_break(store_place) is None
