"""Records are stored once, in order, and every later change of the store is detected."""

from __future__ import annotations

import multiprocessing
import sqlite3

import psycopg
import pytest

from tests.records.places import UNDEFINED_TABLE, Place
from tests.records.sample_reviews import FACTS, MOMENT, predicate
from tests.records.sample_store import bundle_of, chain_break, filled
from wardround.records import bundle, store
from wardround.records.bundle import Facts
from wardround.records.location import location_of
from wardround.records.store import ChainBreak, Query, RecordNotFound, StoreError

DATABASE_ERRORS = (sqlite3.Error, psycopg.Error)


def test_a_record_is_found_by_the_first_digits_of_its_digest(store_place: Place) -> None:
    digests = filled(store_place)
    created = bundle_of(2)
    with store.open_store(store_place.location) as records:
        found = records.get(digests[2][:10])
        assert records.get(f"sha256:{digests[2].upper()}") == found
        assert records.data(found) == created.data
    assert (found.sequence, found.digest, found.created) == (3, created.digest, "2030-01-31T12:00:05Z")
    assert (found.verdict, found.tier, found.rules) == ("human-review", "T3", ("ruff/B006",))
    assert (found.repository, found.author) == ("shop", "Ada <ada@example.org>")
    assert (found.context, found.policy) == (created.review.context.id, f"default@sha256:{'d' * 64}")


@pytest.mark.parametrize("digest", ["", "abc", "x" * 64, "0" * 65, "%%%%%%", "zzzzzz"])
def test_a_record_that_is_not_there_is_an_error(store_place: Place, digest: str) -> None:
    filled(store_place, 2)
    with store.open_store(store_place.location) as records, pytest.raises(RecordNotFound):
        records.get(digest)


def test_a_record_is_stored_once(store_place: Place) -> None:
    created = bundle_of(1)
    with store.open_store(store_place.location) as records:
        assert (
            records.append(created, FACTS) == records.append(created, Facts(author="else")) == created.digest
        )
        assert len(records.query(Query())) == 1
        assert records.head()[0] == 1
        assert records.verify_chain() is None


def test_records_are_found_by_verdict_tier_rule_author_and_time(store_place: Place) -> None:
    def appended(number: int, verdict: str, tier: str, author: str, rules: tuple[str, ...], day: int) -> str:
        content = predicate(evidence={"number": number}, verdict={"name": verdict, "tier": tier})
        facts = Facts(author=author, rules=rules)
        return records.append(bundle.write(content, facts, None, MOMENT.replace(day=day)), facts)

    with store.open_store(store_place.location) as records:
        first = appended(1, "auto-merge", "T1", "Ada <ada@example.org>", (), 1)
        second = appended(2, "escalate", "T4", "Grace <100%_grace@example.org>", ("ruff/B006", "x/y"), 2)
        third = appended(3, "escalate", "T5", "Ada <ada@example.org>", ("ruff/B006",), 3)

        def found(limit: int | None = None, **conditions: str) -> list[str]:
            return [item.digest for item in records.query(Query(**conditions), limit)]

        assert found() == [third, second, first]
        assert found(limit=2) == [third, second]
        assert found(verdict="escalate") == [third, second]
        assert found(verdict="escalate", tier="T4") == [second]
        assert found(rule="ruff/B006") == [third, second]
        assert found(rule="ruff/%") == []
        assert found(author="ADA@") == [third, first]
        assert found(author="%_gr") == [second]
        assert found(author="_da") == []
        assert found(since="2030-01-02T12:00:05Z") == [third, second]
        assert found(until="2030-01-02T12:00:05Z") == [first]
        assert found(context=predicate()["context"]["id"]) == [third, second, first]


def test_paths_and_names_that_are_not_utf8_are_stored_escaped(store_place: Place) -> None:
    with store.open_store(store_place.location) as records:
        digest = records.append(bundle_of(1), Facts(author="J\udcf6rg", repository="/srv/\udcff"))
        found = records.get(digest)
        assert (found.author, found.repository) == ("J\\xf6rg", "/srv/\\xff")
        assert records.verify_chain() is None


def test_the_chain_of_an_unchanged_store_is_valid(store_place: Place) -> None:
    assert chain_break(store_place) is None
    filled(store_place, 250)
    assert chain_break(store_place) is None


@pytest.mark.parametrize("column", [
    "previous", "chain", "digest", "created", "repository", "base", "head", "context", "verdict", "tier",
    "policy", "author", "bundle",
])  # fmt: skip
@pytest.mark.parametrize("value", ["'x'", "NULL"])
def test_a_change_of_any_column_is_detected(store_place: Place, column: str, value: str) -> None:
    filled(store_place)
    store_place.tamper(f"UPDATE records SET {column} = {value} WHERE sequence = 3")
    found = chain_break(store_place)
    assert found is not None
    assert found.sequence in (3, 4)


ROW_CHANGED = "its columns do not have its chain digest: the row was changed"


@pytest.mark.parametrize(
    ("statement", "sequence", "reason"),
    [
        ("DELETE FROM records WHERE sequence = 1", 1, "it is missing; the next record has the number 2"),
        ("DELETE FROM records WHERE sequence = 3", 3, "it is missing; the next record has the number 4"),
        ("DELETE FROM records WHERE sequence = 5", 5, store._WRONG_HEAD),
        ("DELETE FROM records", 1, store._WRONG_HEAD),
        ("DELETE FROM chain_head", 6, store._WRONG_HEAD),
        ("UPDATE chain_head SET sequence = 4", 6, store._WRONG_HEAD),
        (
            "UPDATE records SET sequence = 0 WHERE sequence = 2",
            1,
            "it is missing; the next record has the number 0",
        ),
        ("INSERT INTO record_rules VALUES (2, 'x')", 2, ROW_CHANGED),
        ("DELETE FROM record_rules WHERE sequence = 2", 2, ROW_CHANGED),
        (
            "INSERT INTO record_rules VALUES (9, 'x')",
            9,
            "its rules are stored, but the record is missing",
        ),
        (
            "UPDATE records SET bundle = bundle || ' ' WHERE sequence = 2",
            2,
            "its bytes do not have its digest: the record was changed",
        ),
    ],
)
def test_a_removed_or_added_row_is_detected(
    store_place: Place, statement: str, sequence: int, reason: str
) -> None:
    filled(store_place)
    store_place.tamper(statement)
    assert chain_break(store_place) == ChainBreak(sequence, reason)


def test_exchanged_rows_are_detected(store_place: Place) -> None:
    filled(store_place)
    store_place.tamper(
        "UPDATE records SET sequence = 99 WHERE sequence = 2",
        "UPDATE records SET sequence = 2 WHERE sequence = 3",
        "UPDATE records SET sequence = 3 WHERE sequence = 99",
    )
    assert chain_break(store_place) == ChainBreak(
        2, "it does not follow the record before: a record was removed or moved"
    )


@pytest.mark.parametrize("statement", [
    "UPDATE records SET tier = 'T1'", "DELETE FROM records", "UPDATE record_rules SET rule = 'x'",
    "DELETE FROM record_rules", "DELETE FROM chain_head", "UPDATE chain_head SET sequence = 1",
])  # fmt: skip
def test_the_database_itself_rejects_updates_and_deletes(store_place: Place, statement: str) -> None:
    filled(store_place)
    with pytest.raises(DATABASE_ERRORS, match="append-only"):
        store_place.execute(statement)
    assert chain_break(store_place) is None


WRITERS, EACH = 8, 25


def _append_many(name: str, first: int) -> None:
    for number in range(first, first + EACH):
        with store.open_store(location_of(name, {})) as records:
            records.append(bundle_of(number), FACTS)
            records.append(bundle_of(0), FACTS)  # the same record as every other writer


def test_several_processes_append_to_one_chain_that_none_of_them_made(store_place: Place) -> None:
    spawn = multiprocessing.get_context("spawn")
    writers = [
        spawn.Process(target=_append_many, args=(store_place.text, 1 + EACH * number))
        for number in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    with store.open_store(store_place.location) as records:
        found = {item.digest for item in records.query(Query())}
        assert found == {bundle_of(number).digest for number in range(WRITERS * EACH + 1)}
        assert records.verify_chain() is None


def test_a_transaction_that_fails_stores_nothing(store_place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(store_place, 2)
    monkeypatch.setattr("wardround.records.queries.NEXT_HEAD", "INSERT INTO nowhere VALUES (1)")
    with (
        pytest.raises(StoreError, match=UNDEFINED_TABLE[store_place.kind]),
        store.open_store(store_place.location) as records,
    ):
        records.append(bundle_of(7), FACTS)
    monkeypatch.undo()
    assert chain_break(store_place) is None
    with store.open_store(store_place.location) as records:
        assert records.head()[0] == 2


def test_a_store_of_a_newer_version_is_one_sentence(store_place: Place) -> None:
    filled(store_place, 1)
    store_place.execute("INSERT INTO schema_migrations VALUES (9)")
    with pytest.raises(StoreError) as refused, store.open_store(store_place.location):
        pass
    assert str(refused.value) == (
        f"the record store {store_place.location}: its tables have version 9; this wardround knows 2; "
        "upgrade wardround"
    )
