"""What the last review of a repository showed, kept in the cache so that findings can be named later."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from wardround.change.encoding import escape_undecodable
from wardround.errors import UsageError
from wardround.findings import Finding
from wardround.review import ReviewResult
from wardround.storage.atomic import write_atomic
from wardround.storage.digest import sha256
from wardround.storage.paths import cache_dir

_AT_MOST = 5_000
"""Findings kept of one review; nobody dismisses more one by one."""


class ReportedFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


def save(root: Path, review: ReviewResult) -> None:
    """Keep what a review showed, in place of what the one before did. A cache that fails costs nothing."""
    shown = [_shown(f, review.contents.get(f.fingerprint, "")) for f in review.open_findings[:_AT_MOST]]
    file = _file(root)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomic(file, msgspec.msgpack.encode(shown))


def load(root: Path) -> tuple[ReportedFinding, ...]:
    """What the last review showed, in the order of places; nothing if there is none."""
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.msgpack.decode(_file(root).read_bytes(), type=tuple[ReportedFinding, ...])
    return ()


def load_report(path: Path) -> tuple[ReportedFinding, ...]:
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
    return tuple(ReportedFinding(row.fingerprint, row.rule, row.file, row.line) for row in found.findings)


def _shown(finding: Finding, content: str) -> ReportedFinding:
    return ReportedFinding(
        finding.fingerprint, finding.rule, escape_undecodable(finding.file), finding.span.line, content
    )


def _file(root: Path) -> Path:
    name = sha256(os.fsencode(root.resolve())).hexdigest()[:32]
    return cache_dir() / "shown" / name
