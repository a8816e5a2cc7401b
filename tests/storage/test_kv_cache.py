"""The key-value cache: an entry is correct or absent, and a failing cache never fails its user."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from wardround.storage import kv_cache
from wardround.storage.kv_cache import KeyValueCache


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "entries.sqlite"


@pytest.fixture
def cache(file: Path) -> Iterator[KeyValueCache]:
    opened = KeyValueCache(file)
    yield opened
    opened.close()


def test_an_entry_is_found_by_another_process(cache: KeyValueCache, file: Path) -> None:
    entries = {f"key {number}".encode(): bytes([number % 256]) * number for number in range(1200)}
    cache.put(entries)
    other = KeyValueCache(file)
    assert other.get([*entries, b"absent"]) == entries
    other.close()


def test_the_latest_value_of_a_key_is_retained(cache: KeyValueCache) -> None:
    cache.put({b"1": b"one"})
    cache.put({b"1": b"two"})
    assert cache.get([b"1"]) == {b"1": b"two"}


def test_the_file_is_opened_at_the_first_use_and_private(cache: KeyValueCache, file: Path) -> None:
    assert not file.parent.exists()
    cache.put({b"1": b"one"})
    assert file.parent.stat().st_mode & 0o077 == 0
    assert file.stat().st_mode & 0o077 == 0


def test_after_closing_nothing_is_found_or_kept(cache: KeyValueCache) -> None:
    cache.put({b"1": b"one"})
    cache.close()
    cache.put({b"2": b"two"})
    assert cache.get([b"1", b"2"]) == {}


@pytest.mark.parametrize("content", [b"", b"this is no database" * 100])
def test_a_file_that_is_not_a_database_is_replaced_at_once(file: Path, content: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    cache = KeyValueCache(file)
    cache.put({b"1": b"one"})
    assert cache.get([b"1"]) == {b"1": b"one"}
    assert cache.trouble is None
    cache.close()


def test_a_database_that_is_damaged_inside_is_replaced(file: Path) -> None:
    first = KeyValueCache(file)
    first.put({f"key {number}".encode(): b"x" * 1000 for number in range(100)})
    first.close()
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    damaged = KeyValueCache(file)
    assert damaged.get([b"key 1"]) == {}
    damaged.put({b"2": b"two"})
    damaged.put({b"2": b"two"})
    assert damaged.get([b"2"]) == {b"2": b"two"}
    damaged.close()


def test_a_file_of_another_version_is_emptied(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = KeyValueCache(file)
    first.put({b"1": b"one"})
    first.close()
    monkeypatch.setattr(kv_cache, "_VERSION", 999)
    second = KeyValueCache(file)
    assert second.get([b"1"]) == {}
    second.put({b"1": b"one"})
    assert second.get([b"1"]) == {b"1": b"one"}
    second.close()


@pytest.mark.parametrize("value", [b"\x00\xff", b"", None, 7, "text"])
def test_a_damaged_entry_is_absent(cache: KeyValueCache, file: Path, value: object) -> None:
    cache.put({b"1": b"one", b"2": b"two"})
    with closing(sqlite3.connect(file)) as database:
        database.execute("UPDATE entries SET value = ? WHERE key = ?", (value, b"1"))
        database.commit()
    assert cache.get([b"1", b"2"]) == {b"2": b"two"}


def test_the_value_of_another_key_is_damage(cache: KeyValueCache, file: Path) -> None:
    cache.put({b"1": b"one", b"2": b"two"})
    with closing(sqlite3.connect(file)) as database:
        database.execute(
            "UPDATE entries SET value = (SELECT value FROM entries WHERE key = ?) WHERE key = ?", (b"2", b"1")
        )
        database.commit()
    assert cache.get([b"1", b"2"]) == {b"2": b"two"}


def test_a_folder_that_cannot_be_made_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = KeyValueCache(tmp_path / "file" / "folder" / "entries.sqlite")
    cache.put({b"1": b"one"})
    assert cache.get([b"1"]) == {}
    assert str(tmp_path / "file") in (cache.trouble or "")
    cache.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_folder_costs_time_only(file: Path) -> None:
    file.parent.mkdir(mode=0o500)
    cache = KeyValueCache(file)
    cache.put({b"1": b"one"})
    assert cache.get([b"1"]) == {}
    assert cache.trouble is not None


def test_while_another_process_writes_nothing_fails(cache: KeyValueCache, file: Path) -> None:
    cache.put({b"1": b"one"})
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        cache.put({b"2": b"two"})
        assert cache.get([b"1", b"2"]) == {b"1": b"one"}
        writer.execute("ROLLBACK")
    cache.put({b"2": b"two"})
    assert cache.get([b"2"]) == {b"2": b"two"}


def test_threads_share_a_cache(cache: KeyValueCache) -> None:
    def work(start: int) -> None:
        for number in range(start, start + 20):
            cache.put({str(number).encode(): b"value"})

    threads = [threading.Thread(target=work, args=(start,)) for start in (0, 20, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache.get(str(number).encode() for number in range(60))) == 60


def test_it_does_not_grow_without_end(file: Path) -> None:
    cache = KeyValueCache(file, limit_bytes=200_000)
    for part in range(20):
        cache.put({f"{part} {number}".encode(): b"x" * 400 for number in range(100)})
    cache.close()
    assert file.stat().st_size < 300_000


def test_entries_in_use_outlast_those_that_are_not(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = KeyValueCache(file, limit_bytes=200_000)
    cache.put({f"{number}".encode(): b"x" * 400 for number in range(100)})
    monkeypatch.setattr(kv_cache, "_today", lambda: 30_000)
    assert cache.get([b"7"])
    for part in range(3):
        cache.put({f"{part} {number}".encode(): b"x" * 400 for number in range(100)})
    assert cache.get([b"7"])
    cache.close()
