"""What the last review of a repository showed, kept in the cache so that findings can be named later."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from wardround.change.encoding import printable
from wardround.errors import UsageError
from wardround.findings import Finding
from wardround.review import Review
from wardround.storage.atomic import write_whole
from wardround.storage.digest import sha256
from wardround.storage.paths import cache_folder

_AT_MOST = 5_000
"""Findings kept of one review; nobody dismisses more one by one."""


class Shown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One finding, without a word of the code it is about. ``content`` names it without its file."""

    fingerprint: str
    rule: str
    file: str
    line: int
    content: str = ""


class _Row(msgspec.Struct, frozen=True):
    """What is read of a finding in a JSON report."""

    fingerprint: str
    rule: str
    file: str
    line: int


class _Report(msgspec.Struct, frozen=True):
    findings: tuple[_Row, ...]


def save(root: Path, review: Review) -> None:
    """Keep what a review showed, in place of what the one before did. A cache that fails costs nothing."""
    shown = [_shown(f, review.contents.get(f.fingerprint, "")) for f in review.open_findings[:_AT_MOST]]
    file = _file(root)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(file, msgspec.msgpack.encode(shown))


def load(root: Path) -> tuple[Shown, ...]:
    """What the last review showed, in the order of places; nothing if there is none."""
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.msgpack.decode(_file(root).read_bytes(), type=tuple[Shown, ...])
    return ()


def reported(path: Path) -> tuple[Shown, ...]:
    """The findings of a JSON report, which may come from another machine.

    Raises:
        UsageError: it is none.
    """
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_Report)
    except OSError as cause:
        raise UsageError(f"--report {path}: {cause.strerror}; give a JSON report") from cause
    except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
        raise UsageError(f"--report {path}: {cause}; give a report of --format json") from cause
    return tuple(Shown(row.fingerprint, row.rule, row.file, row.line) for row in found.findings)


def _shown(finding: Finding, content: str) -> Shown:
    return Shown(finding.fingerprint, finding.rule, printable(finding.file), finding.span.line, content)


def _file(root: Path) -> Path:
    name = sha256(os.fsencode(root.resolve())).hexdigest()[:32]
    return cache_folder() / "shown" / name
