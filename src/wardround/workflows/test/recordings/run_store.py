"""The recorded runs of a repository's tests, in one database per repository outside the work tree.

A later run of a test replaces an earlier one; a recording is removed with the last of its runs, and a version
of a file with the last recording that contains it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from wardround.storage import sqlite_file
from wardround.storage.paths import cache_dir
from wardround.storage.repository_database import DatabaseKind, RepositoryDatabase
from wardround.workflows.test.python_code.outline import Outline, Sharing
from wardround.workflows.test.recordings.recorded_runs import OutlinedFile, Ran, RecordedRun, Recording

FORMAT = 3
"""Raised with every change of outlines, of their digests or of the stored data."""
_SCHEMA = (
    "CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT, blob TEXT, outline BLOB, UNIQUE (path, blob))",
    "CREATE TABLE recordings (id INTEGER PRIMARY KEY AUTOINCREMENT, others BLOB, complete INTEGER, "
    "installed BLOB)",
    "CREATE TABLE recorded_files (recording INTEGER, file INTEGER, outside BLOB, "
    "PRIMARY KEY (recording, file)) WITHOUT ROWID",
    "CREATE TABLE tests (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, sharing INTEGER, "
    "recording INTEGER)",
    "CREATE TABLE runs (test INTEGER, file INTEGER, ran BLOB, shared BLOB, PRIMARY KEY (test, file)) "
    "WITHOUT ROWID",
    "CREATE TABLE failed (test TEXT PRIMARY KEY) WITHOUT ROWID",
)
_LIMIT_BYTES = 512 * 1024 * 1024
_KIND = DatabaseKind(_SCHEMA, FORMAT, _LIMIT_BYTES)
_MOST_TESTS = 200_000
_MOST_RUNS = 5_000_000
_MOST_RECORDINGS = 30
"""Limits for one repository, above which the oldest recordings are removed."""
_ENCODE = msgspec.msgpack.Encoder().encode
_OUTLINE = msgspec.msgpack.Decoder(Outline).decode
_NUMBERS = msgspec.msgpack.Decoder(list[int]).decode
_OTHERS = msgspec.msgpack.Decoder(dict[str, str]).decode
Key = tuple[str, str]


class RunStore:
    """The recorded runs of a repository.

    Args:
        most_tests: beyond it, the tests recorded first are removed.
    """

    def __init__(
        self, file: RepositoryDatabase, most_tests: int = _MOST_TESTS, most_runs: int = _MOST_RUNS
    ) -> None:
        self._file = file
        self._database = file.connection
        self._most_tests = most_tests
        self._most_runs = most_runs

    @classmethod
    def open(cls, git_dir: Path, folder: Path | None = None) -> RunStore:
        """Open or create the store of the repository with this git folder."""
        return cls(RepositoryDatabase.open(_KIND, git_dir, folder or cache_dir() / "test-runs"))

    @property
    def problem(self) -> str:
        """One sentence if no added run can be stored for later plans; else empty."""
        problem = self._file.problem
        return problem and f"No run can be stored, so that later plans are not smaller: {problem}."

    def close(self) -> None:
        self._file.close()

    def add(self, recording: Recording) -> None:
        """Store the runs of a recording; all of them, or none if the database cannot be written.

        Raises:
            sqlite3.Error: it cannot be written.
        """
        with sqlite_file.transaction(self._database):
            data = _ENCODE(dict(sorted(recording.others.items())))
            row = (data, recording.is_complete, _ENCODE(dict(sorted(recording.installed.items()))))
            added = self._database.execute(
                "INSERT INTO recordings (others, complete, installed) VALUES (?, ?, ?)", row
            ).lastrowid
            files = {key: self._file_number(file) for key, file in recording.files.items()}
            rows = [(added, number, _numbers(recording.outside.get(key))) for key, number in files.items()]
            self._database.executemany("INSERT INTO recorded_files VALUES (?, ?, ?)", rows)
            for run in recording.runs:
                self._replace(run, files, added)
            self._remove_excess()

    def mark(self, failed: Iterable[str], passed: Iterable[str]) -> None:
        """Keep the ids of the tests that failed until they pass.

        Raises:
            sqlite3.Error: the database cannot be written.
        """
        with sqlite_file.transaction(self._database):
            rows = [(test,) for test in passed]
            self._database.executemany("DELETE FROM failed WHERE test = ?", rows)
            rows = [(test,) for test in failed]
            self._database.executemany("INSERT OR IGNORE INTO failed VALUES (?)", rows)

    def failed_tests(self) -> frozenset[str]:
        """Return the ids of the tests that failed in their last run; none if the database is damaged."""
        try:
            return frozenset(test for (test,) in self._database.execute("SELECT test FROM failed"))
        except sqlite3.Error:
            return frozenset()

    def load(self) -> tuple[Recording, ...]:
        """Return the recordings that still hold runs, newest first; none if the database is damaged."""
        try:
            return tuple(self._recordings())
        except (sqlite3.Error, msgspec.DecodeError, ValueError, KeyError):
            return ()

    def _file_number(self, file: OutlinedFile) -> int:
        query = "SELECT id FROM files WHERE path = ? AND blob = ?"
        found = self._database.execute(query, (file.path, file.blob)).fetchone()
        if found is not None:
            return int(found[0])
        row = (file.path, file.blob, _ENCODE(file.outline))
        added = self._database.execute("INSERT INTO files (path, blob, outline) VALUES (?, ?, ?)", row)
        return int(added.lastrowid or 0)

    def _replace(self, run: RecordedRun, files: Mapping[Key, int], recording: int | None) -> None:
        self._remove_tests("SELECT id FROM tests WHERE name = ?", (run.test,))
        added = self._database.execute(
            "INSERT INTO tests (name, sharing, recording) VALUES (?, ?, ?)",
            (run.test, int(run.sharing), recording),
        )
        rows = [
            (added.lastrowid, files[key], _numbers(numbers), _numbers(run.shared.get(key)))
            for key, numbers in run.ran.items()
        ]
        self._database.executemany("INSERT INTO runs VALUES (?, ?, ?, ?)", rows)

    def _remove_excess(self) -> None:
        (tests,) = self._database.execute("SELECT count(*) FROM tests").fetchone()
        (runs,) = self._database.execute("SELECT count(*) FROM runs").fetchone()
        excess = max(tests - self._most_tests, tests * (runs - self._most_runs) // max(runs, 1))
        if excess > 0:
            self._remove_tests("SELECT id FROM tests ORDER BY id LIMIT ?", (excess,))
        newest = f"SELECT id FROM recordings ORDER BY id DESC LIMIT {_MOST_RECORDINGS}"  # noqa: S608  (a constant)
        self._remove_tests(f"SELECT id FROM tests WHERE recording NOT IN ({newest})", ())  # noqa: S608
        for statement in (
            "DELETE FROM recordings WHERE id NOT IN (SELECT recording FROM tests)",
            "DELETE FROM recorded_files WHERE recording NOT IN (SELECT id FROM recordings)",
            "DELETE FROM files WHERE id NOT IN (SELECT file FROM recorded_files)",
        ):
            self._database.execute(statement)

    def _remove_tests(self, query: str, parameters: Sequence[object]) -> None:
        self._database.execute(f"DELETE FROM runs WHERE test IN ({query})", parameters)  # noqa: S608  (constants)
        self._database.execute(f"DELETE FROM tests WHERE id IN ({query})", parameters)  # noqa: S608

    def _recordings(self) -> Iterator[Recording]:
        files = {
            number: OutlinedFile(path, blob, _OUTLINE(data))
            for number, path, blob, data in self._database.execute(
                "SELECT id, path, blob, outline FROM files"
            )
        }
        keys = {number: (file.path, file.blob) for number, file in files.items()}
        runs = self._runs(keys)
        query = "SELECT id, others, complete, installed FROM recordings ORDER BY id DESC"
        for recording, others, is_complete, installed in self._database.execute(query):
            rows = self._database.execute(
                "SELECT file, outside FROM recorded_files WHERE recording = ?", (recording,)
            ).fetchall()
            yield Recording(
                tuple(runs.get(recording, ())),
                {keys[file]: files[file] for file, _ in rows},
                {keys[file]: frozenset(numbers) for file, data in rows if (numbers := _NUMBERS(data))},
                _OTHERS(others),
                bool(is_complete),
                _OTHERS(installed),
            )

    def _runs(self, keys: Mapping[int, Key]) -> dict[int, list[RecordedRun]]:
        ran: dict[int, dict[Key, Ran]] = {}
        shared: dict[int, dict[Key, Ran]] = {}
        known: dict[bytes, Ran] = {}
        for test, file, numbers, others in self._database.execute("SELECT test, file, ran, shared FROM runs"):
            ran.setdefault(test, {})[keys[file]] = _decode_numbers(numbers, known)
            if found := _decode_numbers(others, known):
                shared.setdefault(test, {})[keys[file]] = found
        found_runs: dict[int, list[RecordedRun]] = {}
        query = "SELECT id, name, sharing, recording FROM tests ORDER BY name"
        for test, name, sharing, recording in self._database.execute(query):
            run = RecordedRun(name, ran.get(test, {}), Sharing(sharing), shared.get(test, {}))
            found_runs.setdefault(recording, []).append(run)
        return found_runs


def _decode_numbers(data: bytes, known: dict[bytes, Ran]) -> Ran:
    """Return numbers; equal ones are one object."""
    found = known.get(data)
    if found is None:
        found = known[data] = frozenset(_NUMBERS(data))
    return found


def _numbers(ran: Iterable[int] | None) -> bytes:
    return _ENCODE(sorted(ran or ()))
