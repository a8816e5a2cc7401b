"""Reader of the lines that each test ran, from data that coverage.py wrote with ``--cov-context=test``."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing

import msgspec

from wardround.context.line_coverage.model import MOST_FILES, CoverageUnreadable
from wardround.context.line_coverage.sqlite_data import MAGIC

MOST_BYTES = 512 * 1024 * 1024
MOST_CONTEXTS = 500_000
_MOST_LINE = 2_000_000
_MOST_STEPS = 500_000_000
"""Steps of SQLite's machine, after which a query ends: some tens of seconds."""
_TABLES = frozenset({"arc", "context", "file", "line_bits"})


class ContextLines(msgspec.Struct, frozen=True):
    """The lines of one file that were executed in one context.

    Attributes:
        path: verbatim.
        test: the id of the test; empty outside of every test.
        phase: ``setup``, ``run`` or ``teardown``.
        lines: bit n is set if line n ran, 1-based.
    """

    path: str
    test: str
    phase: str
    lines: int


def read_contexts(content: bytes) -> Iterator[ContextLines]:
    """Yield the lines of each file and context, contexts in the order of their first lines.

    Only plain tables are read, from a copy in memory.

    Raises:
        CoverageUnreadable: coverage.py has not written it, it has no contexts, or it is too large.
    """
    if len(content) > MOST_BYTES:
        raise CoverageUnreadable(f"it has more than {MOST_BYTES} bytes")
    if not content.startswith(MAGIC):
        raise CoverageUnreadable("it is not a data file of coverage.py")
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.deserialize(content)
            database.execute("PRAGMA trusted_schema=OFF")
            database.set_progress_handler(lambda: 1, _MOST_STEPS)
            yield from _rows(database)
        except (sqlite3.Error, OverflowError, TypeError, ValueError) as cause:
            raise CoverageUnreadable(f"it is not a data file of coverage.py: {cause}") from cause


def _rows(database: sqlite3.Connection) -> Iterator[ContextLines]:
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables >= _TABLES:
        raise CoverageUnreadable("it is not a data file of coverage.py: it lacks a table")
    paths = _read_rows(database, "SELECT id, path FROM file", MOST_FILES, "files")
    contexts = _read_rows(database, "SELECT id, context FROM context", MOST_CONTEXTS, "contexts")
    if not any(contexts.values()):
        raise CoverageUnreadable("it has no contexts; record it with pytest --cov --cov-context=test")
    for file, context, lines in (*_bits(database), *_arcs(database)):
        if file in paths and context in contexts:
            test, _, phase = contexts[context].rpartition("|")
            yield ContextLines(paths[file], test or phase, phase if test else "run", lines)


def _read_rows(database: sqlite3.Connection, query: str, most: int, noun: str) -> Mapping[int, str]:
    found = {int(number): str(text) for number, text in database.execute(f"{query} LIMIT {most + 1}")}
    if len(found) > most:
        raise CoverageUnreadable(f"it has more than {most} {noun}")
    return found


def _bits(database: sqlite3.Connection) -> Iterator[tuple[int, int, int]]:
    for file, context, bits in database.execute(
        "SELECT file_id, context_id, numbits FROM line_bits ORDER BY context_id, file_id"
    ):
        yield file, context, int.from_bytes(bytes(bits)[: _MOST_LINE // 8], "little")


def _arcs(database: sqlite3.Connection) -> Iterator[tuple[int, int, int]]:
    """Yield the ends of arcs by file and context, stored instead of lines where branches are measured."""
    key, lines = (0, 0), 0
    for file, context, start, end in database.execute(
        "SELECT file_id, context_id, fromno, tono FROM arc ORDER BY context_id, file_id"
    ):
        if (file, context) != key:
            if lines:
                yield *key, lines
            key, lines = (file, context), 0
        for number in (start, end):
            if 0 < number < _MOST_LINE:
                lines |= 1 << number
    if lines:
        yield *key, lines
