"""Write 100,000 messages of sequences to every kind of storage, query them, and compare the results.

    python benchmarks/lab_storage.py [--messages N] [--kind sqlite]

PostgreSQL and Firestore are the servers of the tests, on this machine. Each kind has a process of its own, so
that its memory is its own. CPU seconds are those of the process, without the server; of the Firestore server,
which has the same process, with it.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests import postgresql_server
from wardround.storage.digest import sha256
from wardround_lab.experiments.storage.export import exported_lines
from wardround_lab.experiments.storage.model import (
    Entry,
    EntryKind,
    RewardCondition,
    Run,
    SequenceHeader,
    SequenceQuery,
)
from wardround_lab.experiments.storage.opening import open_storage
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

KINDS = ("sqlite", "postgresql", "firestore")
_MESSAGES = 50
"""Messages of a sequence."""
_APPEND = 10
"""Messages of one append: those of one request and of its result."""
_SINGLE = 1000
"""Appends of one message, to measure what one exchange costs."""
_RETRIEVALS = ("words", "embeddings", "fusion")
_QUERIES = {
    "all": SequenceQuery(),
    "one run": SequenceQuery(run="run-1"),
    "one instance": SequenceQuery(instance="instance-7"),
    "a configuration": SequenceQuery(configuration={"retrieval": "fusion", "tokens": 8000}),
    "a reward": SequenceQuery(rewards=(RewardCondition("recall", 0.9),)),
    "time and outcome": SequenceQuery(
        since="2030-01-10T00:00:00Z", until="2030-01-20T00:00:00Z", is_complete=True
    ),
    "the first ten": SequenceQuery(configuration={"retrieval": "words"}, limit=10),
}


def main() -> None:
    """Run every kind in a process of its own, and compare their digests."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--kind", choices=KINDS)
    options = parser.parse_args()
    if options.kind is not None:
        measure(options.kind, options.messages)
        return
    digests = {kind: _run(kind, options.messages) for kind in KINDS}
    is_equal = len(set(digests.values())) == 1
    print(f"results: {'equal' if is_equal else 'DIFFERENT'} in {', '.join(digests)}")
    sys.exit(0 if is_equal else 1)


def _run(kind: str, messages: int) -> str:
    program = [sys.executable, __file__, "--kind", kind, "--messages", str(messages)]
    done = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True)
    print(done.stdout, end="", flush=True)
    return done.stdout.rstrip().rpartition(" ")[2]


def measure(kind: str, messages: int) -> None:
    """Print the figures of one kind; the last word is the digest of all its results."""
    with tempfile.TemporaryDirectory() as folder, _place(kind, Path(folder)) as (url, size):
        storage = open_storage(url, {})
        print(f"{kind}: {messages} messages")
        _measure("write", messages, lambda: _write(storage, messages))
        _measure("appends of one message", _SINGLE, lambda: _append_singly(storage))
        results = {name: _query_result(storage, name, query) for name, query in _QUERIES.items()}
        read = _measure("read entries", messages, lambda: _read(storage))
        exported = _measure("export", messages, lambda: _export(storage))
        storage.close()
        print(f"  size {size() / 1e6:.1f} MB, memory {_memory() / 1e6:.0f} MB at most")
        print(f"  digest of all results {sha256(msgspec.json.encode([results, read, exported])).hexdigest()}")


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _measure(name: str, rows: int, action: Callable[[], Any]) -> Any:
    processor, wall = time.process_time(), time.perf_counter()
    result = action()
    seconds, elapsed = time.process_time() - processor, time.perf_counter() - wall
    print(
        f"  {name:<24} {seconds:7.2f} CPU s  {rows / max(seconds, 1e-9):9.0f} rows/CPU s  "
        f"{rows / elapsed:9.0f} rows/s"
    )
    return result


def _write(storage: SequenceStorage, messages: int) -> None:
    for number in range(3):
        storage.begin_run(_run_value(number))
    for number in range(messages // _MESSAGES):
        header = _header(number)
        storage.begin(header)
        for position in range(0, _MESSAGES, _APPEND):
            entries = [_message(number, position + offset) for offset in range(_APPEND)]
            storage.append(header.id, position, entries)
        storage.append(header.id, _MESSAGES, _end(number))


def _append_singly(storage: SequenceStorage) -> None:
    header = _header(-1)
    storage.begin(header)
    for position in range(_SINGLE):
        storage.append(header.id, position, [_message(-1, position)])


def _run_value(number: int) -> Run:
    return Run(
        id=f"run-{number}",
        experiment="localization",
        created="2030-01-01T00:00:00Z",
        version="1",
        instances=("instance-0",),
        instances_digest="",
    )


def _header(number: int) -> SequenceHeader:
    return SequenceHeader(
        run=f"run-{number % 3}",
        experiment="localization",
        configuration={"retrieval": _RETRIEVALS[number % 3], "tokens": 4000 * (1 + number // 3 % 2)},
        instance=f"instance-{number // 6}",
        repository=f"repository-{number % 7}",
        created=f"2030-01-{1 + number % 28:02}T00:00:00Z",
    )


def _message(sequence: int, position: int) -> Entry:
    """Return a message of about 1,000 characters; every tenth is the same in all sequences."""
    identity = f"{position}" if position % 10 == 0 else f"{sequence} {position}"
    text = f"{identity} " + sha256(identity.encode()).hexdigest() * 15
    return Entry(EntryKind.MESSAGE, ("user", "assistant")[position % 2], msgspec.Raw(f'"{text}"'.encode()))


def _end(number: int) -> list[Entry]:
    recall = number * 7919 % 1000 / 1000
    entries = [Entry(EntryKind.REWARD, "recall", msgspec.Raw(msgspec.json.encode(recall)))]
    if number % 5:
        entries.append(Entry(EntryKind.OUTCOME, "completed", msgspec.Raw(b'"completed"')))
    return entries


def _query_result(storage: SequenceStorage, name: str, query: SequenceQuery) -> list[Any]:
    begin = time.process_time()
    found: list[Any] = list(storage.find(query))
    print(f"  query {name:<18} {1000 * (time.process_time() - begin):7.1f} CPU ms  {len(found):6} sequences")
    return found


def _read(storage: SequenceStorage) -> str:
    digest = sha256()
    for summary in storage.find(SequenceQuery()):
        for entry in storage.entries(summary.header.id):
            digest.update(bytes(entry.content))
    return digest.hexdigest()


def _export(storage: SequenceStorage) -> str:
    digest = sha256()
    for line in exported_lines(storage, SequenceQuery()):
        digest.update(line)
    return digest.hexdigest()


@contextlib.contextmanager
def _place(kind: str, folder: Path) -> Iterator[tuple[str, Callable[[], int]]]:
    """Return the URL of an empty storage, and a function that returns its size in bytes."""
    if kind == "sqlite":
        file = folder / "lab.sqlite"
        yield str(file), lambda: file.stat().st_size
    elif kind == "postgresql":
        start = contextlib.contextmanager(inspect.unwrap(postgresql_server.postgres_server))
        with start() as server:
            name = server.create_database()
            yield server.url(name), lambda: _database_size(server, name)
    else:
        yield from _firestore()


def _database_size(server: postgresql_server.PostgresServer, name: str) -> int:
    with server.connect(name) as connection:
        (row,) = connection.execute("SELECT pg_database_size(current_database())").fetchall()
    connection.close()
    return int(row[0])


def _firestore() -> Iterator[tuple[str, Callable[[], int]]]:
    with warnings.catch_warnings(action="ignore"):
        from tests.lab.experiments.storage import firestore_server

    firestore, server = firestore_server.start()
    os.environ["FIRESTORE_EMULATOR_HOST"] = firestore.host
    yield firestore.url("benchmark"), firestore.size
    server.stop(None).wait()


if __name__ == "__main__":
    main()
