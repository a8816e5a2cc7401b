"""Reader of the data files of coverage.py, which list the lines that ran and no others."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from wardround.context.line_coverage.model import CoverageUnreadable, LineTable, MeasuredLines

MAGIC = b"SQLite format 3\0"
_TABLES = frozenset({"arc", "file", "line_bits"})
_MOST_STEPS = 50_000_000
"""Steps of SQLite's machine, after which a query ends: some seconds."""
_BITS = 8


def read_data(content: bytes) -> MeasuredLines:
    """Return the lines that ran.

    Only plain tables are read, from a copy in memory.

    Raises:
        CoverageUnreadable: coverage.py has not written it.
    """
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(content)
        database.execute("PRAGMA trusted_schema=OFF")
        database.set_progress_handler(lambda: 1, _MOST_STEPS)
        return MeasuredLines(_files(database), is_executed_only=True)
    except (sqlite3.Error, OverflowError, TypeError, ValueError) as cause:
        raise CoverageUnreadable(f"it is not a data file of coverage.py: {cause}") from cause
    finally:
        database.close()


def _files(database: sqlite3.Connection) -> dict[str, dict[int, bool]]:
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables >= _TABLES:
        raise CoverageUnreadable("it is not a data file of coverage.py: it lacks a table")
    paths = {number: str(path) for number, path in database.execute("SELECT id, path FROM file")}
    table = LineTable()
    for path in paths.values():
        table.file(path)
    for number, line in _executed_lines(database):
        if line > 0 and number in paths:
            table.add(paths[number], line, ran=True)
    return table.files


def _executed_lines(database: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """Yield the file and the number of each line that ran; with branches, lines are the ends of arcs."""
    for number, bits in database.execute("SELECT file_id, numbits FROM line_bits"):
        for at, byte in enumerate(bytes(bits)):
            yield from ((number, _BITS * at + bit) for bit in range(_BITS) if byte >> bit & 1)
    for number, start, end in database.execute("SELECT file_id, fromno, tono FROM arc"):
        yield number, start
        yield number, end
