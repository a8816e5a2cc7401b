"""The result cache: its entries are correct or absent, and its errors have no effect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from wardround.findings import RawFinding, Span
from wardround.storage.kv_cache import KeyValueCache
from wardround.storage.result_cache import ResultCache

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


def test_an_entry_of_another_type_counts_as_absent(tmp_path: Path) -> None:
    entries = KeyValueCache(tmp_path / "results.sqlite")
    entries.put({b"1": b"\x00\xff"})
    entries.close()
    cache = ResultCache.open(tmp_path)
    assert cache.get([b"1"]) == {}
    cache.close()


def test_without_a_file_nothing_is_retained() -> None:
    none = ResultCache(None)
    none.put({b"1": [RESULT]})
    assert none.get([b"1"]) == {}
    assert none.trouble is None


def test_a_folder_that_cannot_be_made_costs_time_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    none = ResultCache.open(tmp_path / "file" / "folder")
    assert none.trouble is not None
    none.put({b"1": [RESULT]})
    assert none.get([b"1"]) == {}
    none.close()
