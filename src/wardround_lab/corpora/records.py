"""Input and output of the data commands: JSON lines, and the record of their origin."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from wardround.errors import UsageError

RECORD_SUFFIX = ".record.json"
Row = TypeVar("Row")


class RecordedHunk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Replaced lines.

    Attributes:
        base_line: first removed line, 1-based; the position in the base if there are none.
        line: first added line, 1-based.
    """

    base_line: int
    line: int
    removed: tuple[str, ...]
    added: tuple[str, ...]


class RecordedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of a commit and its hunks; ``base_path`` is None for a new file."""

    path: str
    base_path: str | None
    hunks: tuple[RecordedHunk, ...]


class Mined(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A commit of some class, with its message and changes.

    Attributes:
        kind: ``commits``, ``bug-fix``, ``inducing`` or ``clean``.
        related: for an inducing commit, the fixes that lead to it.
        blamed: for an inducing commit, the lines those fixes removed, as ``path:text``.
    """

    kind: str
    repository: str
    commit: str
    time: int
    subject: str
    body: str
    files: tuple[RecordedFile, ...]
    related: tuple[str, ...] = ()
    blamed: tuple[str, ...] = ()


class Curated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A manually reviewed record; its origin, if known, determines its split."""

    instruction: str
    output: str
    input: str = ""
    repository: str = ""
    time: int = 0
    licence: str = ""
    path: str = ""


class MinedRepository(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One repository of a corpus.

    Attributes:
        head: the newest commit that was read.
        licence: from its licence file, or ``unknown``.
        excluded: directories that were excluded because of another licence.
        first, last: times of the oldest and newest commit that was read.
        dropped: excluded items, by reason.
        damage: unreadable parts of the history; empty if there are none.
        sha256: SHA-256 of the items.
    """

    name: str
    head: str
    licence: str
    excluded: tuple[str, ...]
    commits: int
    first: int
    last: int
    items: int
    dropped: dict[str, int]
    damage: str
    sha256: str
    seconds: float


class Corpus(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The origin of a file of mined items; stored next to the file.

    Attributes:
        name: the task or class.
        filters: the requested limits: since, until, limit ...
        sha256: SHA-256 of the complete file.
    """

    schema: Literal["wardround.corpus/1"]
    name: str
    version: str
    filters: dict[str, str]
    repositories: tuple[MinedRepository, ...]
    items: int
    duplicates: int
    sha256: str
    seconds: float


def record_of(records: Path) -> Path:
    """Return the path of the record of a file of items."""
    return records.with_name(records.name + RECORD_SUFFIX)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file.

    Raises:
        UsageError: it cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            for part in iter(lambda: file.read(1 << 20), b""):
                digest.update(part)
    except OSError as cause:
        raise UsageError(f"{path}: {cause.strerror}; give a file of JSON lines") from cause
    return digest.hexdigest()


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the non-blank lines of a file with their numbers.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except OSError as cause:
        raise UsageError(f"{path}: {cause.strerror}; give a file of JSON lines") from cause


def rows_of(path: Path, kind: type[Row]) -> Iterator[Row]:
    """Yield the rows of a file of JSON lines.

    Raises:
        UsageError: it cannot be read, or a line is malformed; the message names the line.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, line in lines_of(path):
        try:
            yield decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as cause:
            raise UsageError(f"{path}:{number}: {cause}; correct or remove this line") from cause


def write_atomically(path: Path, parts: Iterable[bytes]) -> str:
    """Write a file atomically and return its SHA-256.

    Raises:
        UsageError: it cannot be written.
    """
    half = path.with_name(path.name + ".half")
    digest = hashlib.sha256()
    try:
        with half.open("wb") as file:
            for part in parts:
                digest.update(part)
                file.write(part)
        os.replace(half, path)
    except OSError as cause:
        raise UsageError(f"{path}: {cause.strerror}; choose a writable directory") from cause
    finally:
        half.unlink(missing_ok=True)
    return digest.hexdigest()


def write_json(path: Path, value: msgspec.Struct) -> None:
    """Write a value as readable JSON, the same for the same value."""
    text = msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=2)
    write_atomically(path, (text, b"\n"))
