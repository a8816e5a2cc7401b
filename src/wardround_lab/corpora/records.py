"""What the data commands read and write: JSON lines, and the record of how they came to be."""

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
    """Lines that took the place of others.

    Attributes:
        base_line: where the removed lines began, 1-based; where they would have, if there are none.
        line: where the added lines begin, 1-based.
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
    """A commit of some kind, with what it said and what it did.

    Attributes:
        kind: ``commits``, ``bug-fix``, ``inducing`` or ``clean``.
        related: of an inducing commit, the fixes that lead to it.
        blamed: of an inducing commit, the lines those fixes took away, as ``path:text``.
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
    """A record a person has looked over; what is known of its origin decides its split."""

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
        head: the commit the history was read from.
        licence: as its licence file says, or ``unknown``.
        excluded: folders left out because their licence is another.
        first, last: times of the oldest and newest commit that was looked at.
        dropped: items left out, by reason.
        damage: what of the history could not be read; empty where all could.
        sha256: of the items.
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
    """How a file of mined items came to be; it stands beside the file.

    Attributes:
        name: the task or kind.
        filters: what was asked for: since, until, limit ...
        sha256: of the whole file.
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
    """Where the record of a file of items stands."""
    return records.with_name(records.name + RECORD_SUFFIX)


def digest_of(path: Path) -> str:
    """The SHA-256 of a file.

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
    """The lines of a file that are not blank, with their numbers.

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
    """The rows of a file of JSON lines.

    Raises:
        UsageError: it cannot be read, or a line is something else; the message names the line.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, line in lines_of(path):
        try:
            yield decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as cause:
            raise UsageError(f"{path}:{number}: {cause}; correct this line, or take it out") from cause


def write_whole(path: Path, parts: Iterable[bytes]) -> str:
    """Write a file so that it is there whole or not at all, and return its SHA-256.

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
        raise UsageError(f"{path}: {cause.strerror}; give a folder that can be written to") from cause
    finally:
        half.unlink(missing_ok=True)
    return digest.hexdigest()


def write_json(path: Path, value: msgspec.Struct) -> None:
    """Write a value as JSON that people can read and that is the same for the same value."""
    text = msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=2)
    write_whole(path, (text, b"\n"))
