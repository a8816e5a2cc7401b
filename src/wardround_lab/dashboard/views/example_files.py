"""The files of curated examples below a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import msgspec

from wardround.errors import TrainingError, UsageError
from wardround_lab.corpora.audit import Audit, audit_of
from wardround_lab.corpora.audit_items import read_record
from wardround_lab.dashboard.views.line_index import LONGEST_LINE, LineIndex, known_digest

_MOST_FILES = 500
_ENDING = ".jsonl"


class ExampleFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of examples.

    Attributes:
        name: relative to the folder of the data.
        records: number of its lines.
        kind: that of its first record; ``no records`` for other JSON lines.
        audit: one word or two: passed, FAILED, changed since, none.
        changed: the day of its last change.
    """

    name: str
    records: int
    kind: str
    megabytes: float
    audit: str
    changed: str


class StoredAudit(msgspec.Struct, frozen=True, kw_only=True):
    """The audit next to a file, and whether it is of the file as it is now."""

    audit: Audit
    is_current: bool

    @property
    def outcome(self) -> str:
        if not self.is_current:
            return "changed since"
        return "passed" if self.audit.passed else "FAILED"


def example_files(data: Path) -> list[ExampleFile]:
    """Return the files of a folder and of those below it, by name; at most 500."""
    return [_describe(data, path) for path in islice(_paths(data), _MOST_FILES)]


def file_named(data: Path, name: str) -> Path:
    """Return a file of examples by the name in the list.

    Raises:
        UsageError: there is none of that name in the folder.
    """
    root, path = data.resolve(), (data / name).resolve()
    if not (name.endswith(_ENDING) and path.is_relative_to(root) and path.is_file()):
        raise UsageError(f"{name!r}: no file of examples in {data}; choose one of the list")
    return path


def stored_audit(file: Path) -> StoredAudit | None:
    """Return the audit next to a file; None if there is none.

    Raises:
        TrainingError: it cannot be read.
    """
    stored = audit_of(file)
    try:
        audit = msgspec.json.decode(stored.read_bytes(), type=Audit)
    except FileNotFoundError:
        return None
    except OSError as cause:
        raise TrainingError(f"{stored}: {cause.strerror}; audit the file again") from cause
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as cause:
        raise TrainingError(f"{stored}: {cause}; audit the file again") from cause
    return StoredAudit(audit=audit, is_current=audit.sha256 == known_digest(file))


def _paths(data: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(data):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if name.endswith(_ENDING) and path.is_file():
                yield path


def _describe(data: Path, path: Path) -> ExampleFile:
    name = path.relative_to(data).as_posix()
    try:
        index, found = LineIndex.of(path), path.stat()
        return ExampleFile(
            name=name,
            records=len(index),
            kind=_kind(index),
            megabytes=found.st_size / 1e6,
            audit=_audit_outcome(path),
            changed=datetime.fromtimestamp(found.st_mtime, UTC).strftime("%Y-%m-%d"),
        )
    except (OSError, UsageError):
        return ExampleFile(name=name, records=0, kind="unreadable", megabytes=0, audit="none", changed="")


def _kind(index: LineIndex) -> str:
    if not len(index):
        return "empty"
    (line,) = index.lines([0])
    try:
        return read_record(line)[0].name if len(line) <= LONGEST_LINE else "no records"
    except ValueError:
        return "no records"


def _audit_outcome(path: Path) -> str:
    try:
        stored = stored_audit(path)
    except TrainingError:
        return "unreadable"
    return "none" if stored is None else stored.outcome
