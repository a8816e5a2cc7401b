"""Add and edit one example of a file: the file has its old content until the new one is complete."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from wardround.errors import UsageError
from wardround_lab.corpora.records import Curated
from wardround_lab.corpora.secret_scan import SecretScan
from wardround_lab.dashboard.views.examples import Example, example_line, example_of

_NEW_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,80}\.jsonl")
_COPIED_BYTES = 1 << 20
CHANGED = "changed since it was opened; open it again and repeat the edit"
NEW_RECORD = Curated(instruction="", output="", repository="owner/name", time=0, licence="")
"""The first record of a new file of examples, to be filled in."""


class EditedLine(msgspec.Struct, frozen=True):
    """A line of a file as it was opened for an edit.

    Attributes:
        digest: SHA-256 of the line, by which a change of it since then is noticed.
        text: the record as readable JSON.
    """

    digest: str
    text: str


def open_line(file: Path, number: int) -> EditedLine:
    """Return a line of a file for an edit.

    Raises:
        UsageError: the line does not exist, or the file cannot be read.
    """
    line = example_line(file, number)
    if line is None:
        raise UsageError(f"{file.name}: line {number} does not exist; choose one of the list")
    try:
        text = msgspec.json.format(line.strip(), indent=2).decode()
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        text = line.decode("utf-8", "replace").strip()
    return EditedLine(_digest(line), text)


def template_of(file: Path | None) -> str:
    """Return a record to start a new example with: the first one of the file, whose texts are to be replaced;
    without a file, an instruction.
    """
    line = None if file is None else example_line(file, 1)
    encoded = msgspec.json.encode(NEW_RECORD) if line is None else line.strip()
    try:
        return msgspec.json.format(encoded, indent=2).decode()
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return msgspec.json.format(msgspec.json.encode(NEW_RECORD), indent=2).decode()


def replace_example(file: Path, number: int, digest: str, text: str, scan: SecretScan) -> None:
    """Replace the line of an example; all other lines keep their bytes and their order.

    Args:
        digest: that of the line as it was opened.

    Raises:
        UsageError: the text is not a record of the same kind, holds a secret, the line has changed since it
            was opened, or the file cannot be written.
    """
    example = _require_record(text, scan)
    kind = _kind_of_line(example_line(file, number))
    if kind not in ("", example.record_kind.name):
        raise UsageError(f"the record is of kind {example.record_kind.name}, and the file has {kind}")

    def write(old: BinaryIO, new: BinaryIO) -> None:
        for _ in range(number - 1):
            new.write(old.readline())
        line = old.readline()
        if _digest(line) != digest:
            raise UsageError(f"{file.name}: line {number} {CHANGED}")
        new.write(_encode(example))
        shutil.copyfileobj(old, new, _COPIED_BYTES)

    _rewrite(file, write)


def add_example(file: Path, text: str, scan: SecretScan) -> int:
    """Append an example to a file and return the number of its line.

    Raises:
        UsageError: the text is not a record of the file's kind, holds a secret, or the file cannot be
            written.
    """
    example = _require_record(text, scan)
    kind = _kind_of_line(example_line(file, 1))
    if kind not in ("", example.record_kind.name):
        raise UsageError(f"the record is of kind {example.record_kind.name}, and the file has {kind}")
    lines = 0

    def write(old: BinaryIO, new: BinaryIO) -> None:
        nonlocal lines
        last = b"\n"
        for line in old:
            new.write(line)
            lines, last = lines + 1, line
        new.write((b"" if last.endswith(b"\n") else b"\n") + _encode(example))

    _rewrite(file, write)
    return lines + 1


def create_file(data: Path, name: str, text: str, scan: SecretScan) -> Path:
    """Create a file of examples with its first one.

    Raises:
        UsageError: the name is unusable or taken, the text is not a record, or the file cannot be written.
    """
    if not _NEW_NAME.fullmatch(name):
        raise UsageError(
            f"{name!r}: a new file has a name of letters, digits, dots and dashes that ends with .jsonl"
        )
    example = _require_record(text, scan)
    file = data / name
    try:
        data.mkdir(parents=True, exist_ok=True)
        with file.open("xb") as stream:
            stream.write(_encode(example))
    except FileExistsError as cause:
        raise UsageError(f"{name}: exists already; choose it above, or another name") from cause
    except OSError as cause:
        raise UsageError(f"{file}: {cause.strerror}; choose a writable folder with --data") from cause
    return file


def _require_record(text: str, scan: SecretScan) -> Example:
    """Return the record of a text.

    Raises:
        UsageError: it is none, or holds a secret.
    """
    try:
        example = example_of(text.encode())
    except (ValueError, RecursionError) as cause:
        raise UsageError(f"not a record: {cause}; correct it") from cause
    path = example.item.path or "records.txt"
    rules = sorted({rule for part in example.item.texts for rule in scan.kinds(part, path)})
    if rules:
        raise UsageError(f"the record holds a secret ({', '.join(rules)}); remove it, and revoke a real one")
    return example


def _encode(example: Example) -> bytes:
    return msgspec.json.encode(example.record) + b"\n"


def _kind_of_line(line: bytes | None) -> str:
    """Return the kind of the record of a line; empty if it is none, so that it can be repaired."""
    try:
        return "" if line is None else example_of(line).record_kind.name
    except ValueError:
        return ""


def _digest(line: bytes) -> str:
    return hashlib.sha256(line.rstrip(b"\r\n")).hexdigest()


def _rewrite(file: Path, write: Callable[[BinaryIO, BinaryIO], None]) -> None:
    """Replace a file by what ``write`` makes of it; a second writer waits, and nothing is written half.

    Raises:
        UsageError: the file cannot be written, or was changed by another program meanwhile.
    """
    try:
        with _lock(file.parent), file.open("rb") as old:
            _replace(file, old, write)
    except OSError as cause:
        raise UsageError(f"{file}: {cause.strerror}; the file is unchanged, make it writable") from cause


def _replace(file: Path, old: BinaryIO, write: Callable[[BinaryIO, BinaryIO], None]) -> None:
    half = file.with_name(f".{file.name}.half")
    before = os.fstat(old.fileno())
    try:
        with half.open("wb") as new:
            os.fchmod(new.fileno(), before.st_mode & 0o777)
            write(old, new)
            new.flush()
            os.fsync(new.fileno())
        if _stamp(file.stat()) != _stamp(before):
            raise UsageError(f"{file.name} was {CHANGED}")
        half.replace(file)
    finally:
        half.unlink(missing_ok=True)


def _stamp(found: os.stat_result) -> tuple[int, ...]:
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; the lock is on the folder itself, so that no file is left behind."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
