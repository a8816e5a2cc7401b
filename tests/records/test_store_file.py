"""The store in a file: who can read it, and the errors of a file system."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.records.places import FilePlace
from tests.records.sample_reviews import FACTS
from tests.records.sample_store import bundle_of, chain_break, filled
from wardround.records import store
from wardround.records.store import StoreError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "records.sqlite"


@pytest.mark.parametrize("column", ["previous", "chain", "digest", "created", "bundle"])
@pytest.mark.parametrize("value", ["1", "X'ff'", "CAST(X'ff' AS TEXT)"])
def test_a_value_of_another_type_is_detected(file: Path, column: str, value: str) -> None:
    location = FilePlace(file)
    filled(location)
    location.tamper(f"UPDATE records SET {column} = {value} WHERE sequence = 3")
    found = chain_break(location)
    assert found is not None
    assert found.sequence in (3, 4)


def test_the_file_is_readable_by_its_owner_alone(file: Path) -> None:
    filled(FilePlace(file), 1)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [item.name for item in file.parent.iterdir()] == [file.name]


def test_a_file_that_is_not_a_database_is_one_sentence(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"nothing of the kind" * 100)
    with pytest.raises(StoreError) as refused, store.open_store(file):
        pass
    assert str(refused.value) == (
        f"the record store {file}: file is not a database; move the file away, then a new one is made"
    )


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    file = tmp_path / "file" / "records.sqlite"
    with pytest.raises(StoreError) as refused, store.open_store(file):
        pass
    assert str(refused.value) == (
        f"the record store {file}: File exists; set XDG_STATE_HOME to a folder that can be written"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "readonly"
    folder.mkdir(mode=0o500)
    opened = store.open_store(folder / "records.sqlite")
    with pytest.raises(StoreError, match="Permission denied; set XDG_STATE_HOME"), opened:
        pass


def _append_to_full_disk(file: Path) -> None:
    with store.open_store(file) as records:
        records._database.execute("PRAGMA max_page_count = 1")  # SQLite reports the same as on a full disk
        records.append(bundle_of(3), FACTS)


def test_a_full_disk_is_one_sentence_and_loses_no_earlier_record(file: Path) -> None:
    filled(FilePlace(file), 2)
    with pytest.raises(StoreError) as refused:
        _append_to_full_disk(file)
    assert str(refused.value) == (
        f"the record store {file}: database or disk is full; make room, then run it again"
    )
    assert chain_break(FilePlace(file)) is None
