"""Records are stored once, in order, and every later change of the store is detected."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.records.sample_reviews import FACTS, MOMENT, predicate, record
from wardround.records import bundle, store
from wardround.records.bundle import Bundle, Facts
from wardround.records.store import ChainBreak, Query, RecordNotFound, StoreError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "records.sqlite"


def bundle_of(number: int, **changes: Any) -> Bundle:
    """A record that differs from others by its number."""
    return record(None, evidence={"number": number}, **changes)


def filled(file: Path, count: int = 5) -> list[str]:
    """Digests of records appended to a new store."""
    with store.opened(file) as records:
        return [records.append(bundle_of(number), FACTS) for number in range(count)]


def chain_break(file: Path) -> ChainBreak | None:
    with store.opened(file) as records:
        return records.verify_chain()


def tamper(file: Path, *statements: str) -> None:
    """Change the file as someone who can write it: without the triggers."""
    with sqlite3.connect(file) as database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            database.execute(statement)
    database.close()


def test_a_record_is_found_by_the_first_digits_of_its_digest(file: Path) -> None:
    digests = filled(file)
    made = bundle_of(2)
    with store.opened(file) as records:
        found = records.get(digests[2][:10])
        assert records.get(f"sha256:{digests[2].upper()}") == found
        assert records.data(found) == made.data
    assert (found.sequence, found.digest, found.created) == (3, made.digest, "2030-01-31T12:00:05Z")
    assert (found.verdict, found.tier, found.rules) == ("human-review", "T3", ("ruff/B006",))
    assert (found.repository, found.author) == ("shop", "Ada <ada@example.org>")
    assert (found.context, found.policy) == (made.review.context.id, f"default@sha256:{'d' * 64}")


@pytest.mark.parametrize("digest", ["", "abc", "x" * 64, "0" * 65, "%%%%%%", "zzzzzz"])
def test_a_record_that_is_not_there_is_an_error(file: Path, digest: str) -> None:
    filled(file, 2)
    with store.opened(file) as records, pytest.raises(RecordNotFound):
        records.get(digest)


def test_a_record_is_stored_once(file: Path) -> None:
    made = bundle_of(1)
    with store.opened(file) as records:
        assert records.append(made, FACTS) == records.append(made, Facts(author="else")) == made.digest
        assert len(records.query(Query())) == 1
        assert records.head()[0] == 1
        assert records.verify_chain() is None


def test_records_are_found_by_verdict_tier_rule_author_and_time(file: Path) -> None:
    def appended(number: int, verdict: str, tier: str, author: str, rules: tuple[str, ...], day: int) -> str:
        content = predicate(evidence={"number": number}, verdict={"name": verdict, "tier": tier})
        facts = Facts(author=author, rules=rules)
        return records.append(bundle.write(content, facts, None, MOMENT.replace(day=day)), facts)

    with store.opened(file) as records:
        first = appended(1, "auto-merge", "T1", "Ada <ada@example.org>", (), 1)
        second = appended(2, "escalate", "T4", "Grace <100%_grace@example.org>", ("ruff/B006", "x/y"), 2)
        third = appended(3, "escalate", "T5", "Ada <ada@example.org>", ("ruff/B006",), 3)

        def found(limit: int | None = None, **conditions: str) -> list[str]:
            return [one.digest for one in records.query(Query(**conditions), limit)]

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


def test_paths_and_names_that_are_not_utf8_are_stored_escaped(file: Path) -> None:
    with store.opened(file) as records:
        digest = records.append(bundle_of(1), Facts(author="J\udcf6rg", repository="/srv/\udcff"))
        found = records.get(digest)
        assert (found.author, found.repository) == ("J\\xf6rg", "/srv/\\xff")
        assert records.verify_chain() is None


def test_the_file_is_readable_by_its_owner_alone(file: Path) -> None:
    filled(file, 1)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_the_chain_of_an_unchanged_store_holds(file: Path) -> None:
    assert chain_break(file) is None
    filled(file, 250)
    assert chain_break(file) is None


@pytest.mark.parametrize("column", [
    "previous", "chain", "digest", "created", "repository", "base", "head", "context", "verdict", "tier",
    "policy", "author", "bundle",
])  # fmt: skip
@pytest.mark.parametrize("value", ["'x'", "NULL", "1", "X'ff'", "CAST(X'ff' AS TEXT)"])
def test_a_change_of_any_column_is_detected(file: Path, column: str, value: str) -> None:
    filled(file)
    if value == "NULL":
        tamper(
            file, "PRAGMA writable_schema=ON",
            "UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'records'",
        )  # fmt: skip
    tamper(file, f"UPDATE records SET {column} = {value} WHERE sequence = 3")
    found = chain_break(file)
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
def test_a_removed_or_added_row_is_detected(file: Path, statement: str, sequence: int, reason: str) -> None:
    filled(file)
    tamper(file, statement)
    assert chain_break(file) == ChainBreak(sequence, reason)


def test_exchanged_rows_are_detected(file: Path) -> None:
    filled(file)
    tamper(
        file,
        "UPDATE records SET sequence = 99 WHERE sequence = 2",
        "UPDATE records SET sequence = 2 WHERE sequence = 3",
        "UPDATE records SET sequence = 3 WHERE sequence = 99",
    )
    assert chain_break(file) == ChainBreak(
        2, "it does not follow the record before: a record was removed or moved"
    )


@pytest.mark.parametrize("statement", [
    "UPDATE records SET tier = 'T1'", "DELETE FROM records", "UPDATE record_rules SET rule = 'x'",
    "DELETE FROM record_rules", "DELETE FROM chain_head", "UPDATE chain_head SET sequence = 1",
])  # fmt: skip
def test_the_database_itself_refuses_updates_and_deletes(file: Path, statement: str) -> None:
    filled(file)
    with sqlite3.connect(file) as database, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        database.execute(statement)
    database.close()
    assert chain_break(file) is None


def _append_many(file: Path, first: int) -> None:
    for number in range(first, first + 20):
        with store.opened(file) as records:
            records.append(bundle_of(number), FACTS)


def test_several_processes_append_to_one_chain(file: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_append_many, args=(file, 10 * number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    with store.opened(file) as records:
        assert len(records.query(Query())) == 50
        assert records.verify_chain() is None


def test_a_transaction_that_fails_stores_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(file, 2)
    monkeypatch.setattr("wardround.records.queries.NEXT_HEAD", "INSERT INTO nowhere VALUES (1)")
    with pytest.raises(StoreError, match="no such table: nowhere"), store.opened(file) as records:
        records.append(bundle_of(7), FACTS)
    monkeypatch.undo()
    assert chain_break(file) is None
    with store.opened(file) as records:
        assert records.head()[0] == 2


def test_a_file_that_is_not_a_database_is_one_sentence(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"nothing of the kind" * 100)
    with pytest.raises(StoreError) as refused, store.opened(file):
        pass
    assert str(refused.value) == (
        f"the record store {file}: file is not a database; move the file away, then a new one is made"
    )


def test_a_store_of_a_newer_version_is_one_sentence(file: Path) -> None:
    filled(file, 1)
    with sqlite3.connect(file) as database:
        database.execute("INSERT INTO schema_migrations VALUES (9)")
    database.close()
    with pytest.raises(StoreError) as refused, store.opened(file):
        pass
    assert str(refused.value) == (
        f"the record store {file}: its tables have version 9; this wardround knows 1; upgrade wardround"
    )


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    file = tmp_path / "file" / "records.sqlite"
    with pytest.raises(StoreError) as refused, store.opened(file):
        pass
    assert str(refused.value) == (
        f"the record store {file}: File exists; set XDG_STATE_HOME to a folder that can be written"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "readonly"
    folder.mkdir(mode=0o500)
    opened = store.opened(folder / "records.sqlite")
    with pytest.raises(StoreError, match="Permission denied; set XDG_STATE_HOME"), opened:
        pass


def _append_to_full_disk(file: Path) -> None:
    with store.opened(file) as records:
        records._database.execute("PRAGMA max_page_count = 1")  # SQLite reports the same as on a full disk
        records.append(bundle_of(3), FACTS)


def test_a_full_disk_is_one_sentence_and_loses_no_earlier_record(file: Path) -> None:
    filled(file, 2)
    with pytest.raises(StoreError) as refused:
        _append_to_full_disk(file)
    assert str(refused.value) == (
        f"the record store {file}: database or disk is full; make room, then run it again"
    )
    assert chain_break(file) is None
