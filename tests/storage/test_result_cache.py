"""The result cache: right or absent, never in the way."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from wardround.findings import RawFinding, Span
from wardround.storage.result_cache import ResultCache, digest_key

RESULT = RawFinding("B006", "a.py", Span(1, 2, 1, 4), "mutable")


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ResultCache]:
    opened = ResultCache.open(tmp_path)
    yield opened
    opened.close()


def test_what_was_put_is_found_by_another_process(cache: ResultCache, tmp_path: Path) -> None:
    cache.put({b"1": [RESULT], b"2": []})
    other = ResultCache.open(tmp_path)
    assert other.get([b"1", b"2", b"3"]) == {b"1": [RESULT], b"2": []}
    other.close()


def test_no_part_of_a_key_runs_into_the_next() -> None:
    assert digest_key("ab", "c") != digest_key("a", "bc")
    assert digest_key("a", b"\xff") != digest_key("a", "\udcff\udcff")


def test_a_damaged_file_is_dropped_and_made_anew(tmp_path: Path) -> None:
    (tmp_path / "results.sqlite").write_bytes(b"this is no database" * 100)
    damaged = ResultCache.open(tmp_path)
    assert damaged.trouble is not None
    damaged.put({b"1": [RESULT]})
    assert damaged.get([b"1"]) == {}
    damaged.close()
    again = ResultCache.open(tmp_path)
    assert again.trouble is None
    again.close()


def test_an_entry_that_cannot_be_read_counts_as_absent(cache: ResultCache, tmp_path: Path) -> None:
    cache.put({b"1": [RESULT]})
    with closing(sqlite3.connect(tmp_path / "results.sqlite")) as database:
        database.execute("UPDATE results SET value = x'00ff'")
        database.commit()
    assert cache.get([b"1"]) == {}


def test_a_folder_that_cannot_be_made_costs_time_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    none = ResultCache.open(tmp_path / "file" / "folder")
    assert none.trouble is not None
    none.put({b"1": [RESULT]})
    assert none.get([b"1"]) == {}
    none.close()


def test_while_another_process_writes_nothing_fails(cache: ResultCache, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "results.sqlite", isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        cache.put({b"1": [RESULT]})
        writer.execute("ROLLBACK")
    cache.put({b"2": [RESULT]})
    assert cache.get([b"2"]) == {b"2": [RESULT]}
