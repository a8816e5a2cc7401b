"""The databases of repositories in a cache folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from wardround.storage.repository_database import DatabaseKind, RepositoryDatabase

KIND = DatabaseKind(("CREATE TABLE rows (value TEXT)", "CREATE VIRTUAL TABLE texts USING fts5(words)"), 1)


def _with_row(kind: DatabaseKind, repository: str, folder: Path) -> Path:
    database = RepositoryDatabase.open(kind, Path(repository), folder)
    database.connection.execute("INSERT INTO rows VALUES (?)", ("x" * 20_000,))
    database.close()
    assert database.file is not None
    return database.file


def _rows(kind: DatabaseKind, repository: str, folder: Path) -> int:
    database = RepositoryDatabase.open(kind, Path(repository), folder)
    (count,) = database.connection.execute("SELECT count(*) FROM rows").fetchone()
    database.close()
    return int(count)


def test_each_repository_has_its_own_private_file(tmp_path: Path) -> None:
    file = _with_row(KIND, "/one", tmp_path / "kept")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (_rows(KIND, "/one", tmp_path / "kept"), _rows(KIND, "/two", tmp_path / "kept")) == (1, 0)


def test_another_version_is_empty(tmp_path: Path) -> None:
    _with_row(KIND, "/one", tmp_path)
    assert _rows(KIND._replace(version=2), "/one", tmp_path) == 0


def test_another_version_is_empty_even_if_its_rows_are_numbered(tmp_path: Path) -> None:
    schema = ("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)",)
    RepositoryDatabase.open(DatabaseKind(schema, 1), Path("r"), tmp_path).close()

    opened = RepositoryDatabase.open(DatabaseKind(schema, 2), Path("r"), tmp_path)
    opened.close()

    assert opened.file is not None


@pytest.mark.parametrize("content", [b"", b"no database" * 500])
def test_a_damaged_file_is_replaced(tmp_path: Path, content: bytes) -> None:
    _with_row(KIND, "/one", tmp_path).write_bytes(content)
    assert _rows(KIND, "/one", tmp_path) == 0


def test_the_least_recently_used_are_evicted_and_opening_is_use(tmp_path: Path) -> None:
    files = [_with_row(KIND, f"/{at}", tmp_path) for at in range(3)]
    for at, file in enumerate(files):
        os.utime(file, (1000 + at, 1000 + at))
    assert _rows(KIND, "/0", tmp_path) == 1
    limited = KIND._replace(limit_bytes=2 * files[0].stat().st_size)
    _with_row(limited, "/new", tmp_path)
    assert [file.exists() for file in files] == [True, False, True]


def test_without_a_folder_it_is_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    database = RepositoryDatabase.open(KIND, Path("/one"), tmp_path / "file" / "x")
    assert database.file is None
    database.connection.execute("INSERT INTO rows VALUES ('x')")
    database.close()


def test_a_database_that_failed_is_replaced_in_its_place_or_in_memory(tmp_path: Path) -> None:
    file = _with_row(KIND, "/one", tmp_path)
    database = RepositoryDatabase.open(KIND, Path("/one"), tmp_path).recreate(keep_file=True)
    assert (database.file, file.exists()) == (None, True)
    database.close()
    database = RepositoryDatabase.open(KIND, Path("/one"), tmp_path).recreate(keep_file=False)
    assert database.file == file
    assert database.connection.execute("SELECT count(*) FROM rows").fetchone() == (0,)
    database.close()
