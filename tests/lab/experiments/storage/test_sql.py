"""The storage in SQLite and PostgreSQL: append-only tables, several processes, and failures of files."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.lab.experiments.storage.sample_sequences import add, found, header, message, outcome, reward, run
from tests.postgresql_server import PostgresServer
from tests.records.places import ServerPlace
from tests.records.sample_store import chain_break, filled
from wardround.databases.migrations import Schema
from wardround.records import store
from wardround_lab.experiments.storage import migrations
from wardround_lab.experiments.storage.model import SequenceQuery
from wardround_lab.experiments.storage.opening import open_storage
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage, StorageError

_TABLES = ("runs", "sequences", "configurations", "contents", "entries", "rewards", "outcomes")
_WRITER = """
import sys
from tests.lab.experiments.storage.sample_sequences import header, message
from wardround_lab.experiments.storage.opening import open_storage

storage = open_storage(sys.argv[1], {})
sequence = header(sys.argv[2])
storage.begin(sequence)
for position in range(0, int(sys.argv[3]), 2):
    storage.append(sequence.id, position, [message(f"{position}" * 500), message("equal")])
    print(position, flush=True)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "lab.sqlite"


def fill(storage: SequenceStorage) -> str:
    """Store a run, and a sequence with every kind of row."""
    storage.begin_run(run())
    return add(storage, header(), message("one"), reward("recall", 0.5), outcome())


def refusal(location: str) -> str:
    """The message about a storage that cannot be opened or read."""
    with pytest.raises(StorageError) as refused, closing(open_storage(location, {})) as storage:
        storage.entries(header().id)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def start_writer(file: Path, instance: str, entries: int) -> subprocess.Popen[str]:
    """Start a process that appends two entries at a time to a sequence of its own."""
    program = [sys.executable, "-c", _WRITER, str(file), instance, str(entries)]
    return subprocess.Popen(program, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[4])


def test_both_databases_have_the_same_migrations() -> None:
    assert len(migrations.SQLITE.migrations) == len(migrations.POSTGRESQL.migrations)


def test_no_row_can_be_changed_or_removed_in_a_file(file: Path) -> None:
    with closing(open_storage(str(file), {})) as storage:
        fill(storage)
    with closing(sqlite3.connect(file)) as database:
        for table in _TABLES:
            (column, *_) = [row[1] for row in database.execute(f"PRAGMA table_info(lab_{table})")]
            for statement in (f"DELETE FROM lab_{table}", f"UPDATE lab_{table} SET {column} = {column}"):
                with pytest.raises(sqlite3.IntegrityError, match=f"lab_{table} is append-only"):
                    database.execute(statement)


def test_no_row_can_be_changed_or_removed_on_a_server(
    postgres_server: PostgresServer, postgres_database: str
) -> None:
    with closing(open_storage(postgres_server.url(postgres_database), {})) as storage:
        fill(storage)
    with postgres_server.connect(postgres_database) as connection:
        for table in _TABLES:
            for statement in ("DELETE FROM lab_{}", "TRUNCATE lab_{} CASCADE"):
                with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
                    connection.execute(statement.format(table))  # type: ignore[call-overload]
    connection.close()


def test_a_record_store_and_sequences_share_a_database(
    postgres_server: PostgresServer, postgres_database: str
) -> None:
    place = ServerPlace(postgres_server, postgres_database)
    filled(place, 2)
    with closing(open_storage(place.text, {})) as storage:
        fill(storage)
        filled(place, 1)
        assert found(storage) == ["shop-1"]
    with store.open_store(place.location) as records:
        assert records.head()[0] == 2
    assert chain_break(place) is None
    assert place.text not in refusal(postgres_server.url("nowhere"))


def test_the_sequences_can_be_first_in_a_database_that_becomes_a_record_store(
    postgres_server: PostgresServer, postgres_database: str
) -> None:
    place = ServerPlace(postgres_server, postgres_database)
    with closing(open_storage(place.text, {})) as storage:
        fill(storage)
        with store.opened_if_present(place.location) as records:
            assert records is None
        filled(place, 1)
        assert found(storage, is_complete=True) == ["shop-1"]


def test_a_long_append_does_not_make_the_record_store_wait(
    postgres_server: PostgresServer, postgres_database: str
) -> None:
    place = ServerPlace(postgres_server, postgres_database)
    filled(place, 1)
    with closing(open_storage(place.text, {})) as storage:
        transaction = storage._database.transaction()  # type: ignore[attr-defined]
        with transaction:
            filled(place, 2)


def test_several_processes_append_to_sequences_of_their_own(file: Path) -> None:
    writers = [start_writer(file, f"i{number}", 40) for number in range(3)]
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    with closing(open_storage(str(file), {})) as storage:
        assert [summary.entries for summary in storage.find(SequenceQuery())] == [40, 40, 40]


def test_a_killed_process_leaves_all_that_was_appended_and_no_half_append(file: Path) -> None:
    writer = start_writer(file, "killed", 100_000)
    assert writer.stdout is not None
    appended = [int(writer.stdout.readline()) for _ in range(20)]
    writer.kill()
    rest = writer.communicate()[0].splitlines()
    with closing(open_storage(str(file), {})) as storage:
        (summary,) = storage.find(SequenceQuery())
        entries = storage.entries(summary.header.id)
        assert len(entries) >= appended[-1] + 2 + 2 * (len(rest) - 1)
        assert len(entries) % 2 == 0
        assert entries[0] == message("0" * 500)
        storage.append(summary.header.id, len(entries), [message("continued")])


def test_the_file_is_readable_by_its_owner_alone(file: Path) -> None:
    with closing(open_storage(str(file), {})) as storage:
        fill(storage)
        assert {stat.S_IMODE(item.stat().st_mode) for item in file.parent.iterdir()} == {0o600}
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [item.name for item in file.parent.iterdir()] == [file.name]


def test_a_full_disk_is_one_sentence_and_stores_nothing_in_part(file: Path) -> None:
    with closing(open_storage(str(file), {})) as storage:
        sequence = fill(storage)
        storage.begin(header("another"))
        database = storage._database  # type: ignore[attr-defined]
        database.execute("PRAGMA max_page_count = 1")  # SQLite reports the same as on a full disk
        entries = [message(f"{number}" * 5000) for number in range(9)]
        with pytest.raises(StorageError) as refused:
            storage.append(header("another").id, 0, entries)
        assert str(refused.value) == (
            f"the storage {file}: database or disk is full; make room, then run it again"
        )
        database.execute("PRAGMA max_page_count = 100000")
        assert len(storage.entries(sequence)) == 3
        storage.append(header("another").id, 0, entries)
        assert storage.entries(header("another").id) == entries


def test_a_lock_that_is_held_for_too_long_is_one_sentence(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wardround.databases.database.LOCK_TIMEOUT_S", 0.05)
    with closing(open_storage(str(file), {})) as storage, closing(sqlite3.connect(file)) as other:
        sequence = add(storage, header(), message("one"))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError) as refused:
            storage.append(sequence, 1, [message("two")])
        assert len(storage.entries(sequence)) == 1
    assert str(refused.value) == (
        f"the storage {file}: database is locked; another process uses it; run it again"
    )


def test_a_newer_schema_is_one_sentence(
    file: Path, postgres_server: PostgresServer, postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    locations = (str(file), postgres_server.url(postgres_database))
    for name, location in zip(("SQLITE", "POSTGRESQL"), locations, strict=True):
        schema: Schema = getattr(migrations, name)
        newer = Schema(schema.applied, (*schema.migrations, ("CREATE TABLE lab_more (id INTEGER)",)))
        with monkeypatch.context() as patched:
            patched.setattr(f"wardround_lab.experiments.storage.sql.{name}", newer)
            open_storage(location, {}).close()
        assert refusal(location).endswith(
            ": its tables have version 2; this wardround knows 1; upgrade wardround"
        )


def test_a_file_that_is_not_a_database_or_is_damaged_is_one_sentence(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"nothing of the kind" * 100)
    advice = "move the file away, then a new one is made"
    assert refusal(str(file)) == f"the storage {file}: file is not a database; {advice}"
    file.unlink()
    with closing(open_storage(str(file), {})) as storage:
        add(storage, header(), message("x" * 100_000))
    content = file.read_bytes()
    file.write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    assert refusal(str(file)) == f"the storage {file}: database disk image is malformed; {advice}"


def test_a_file_that_cannot_be_written_is_one_sentence(file: Path) -> None:
    with closing(open_storage(str(file), {})) as storage:
        sequence = add(storage, header(), message("one"))
        storage._database.execute("PRAGMA query_only = 1")  # type: ignore[attr-defined]  # as without permission
        with pytest.raises(StorageError) as refused:
            storage.append(sequence, 1, [message("two")])
        assert len(storage.entries(sequence)) == 1
    assert str(refused.value) == (
        f"the storage {file}: attempt to write a readonly database; "
        "set XDG_STATE_HOME to a folder that can be written"
    )


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert refusal(str(tmp_path / "file" / "lab.sqlite")) == (
        f"the storage {tmp_path}/file/lab.sqlite: File exists; "
        "set XDG_STATE_HOME to a folder that can be written"
    )
