"""The findings of a repository's last review, cached so that later commands can name them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from wardround.change.encoding import escape_undecodable
from wardround.errors import UsageError
from wardround.findings import Finding
from wardround.review_result import ReviewResult
from wardround.storage.atomic import write_atomic
from wardround.storage.digest import sha256
from wardround.storage.paths import cache_dir

_AT_MOST = 5_000
"""Maximum number of cached findings of one review; nobody dismisses more individually."""


class ReportedFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One finding, without any of the reviewed code. ``content`` identifies it without its file."""

    fingerprint: str
    rule: str
    file: str
    line: int
    content: str = ""


class _Row(msgspec.Struct, frozen=True):
    """The fields of a finding in a JSON report."""

    fingerprint: str
    rule: str
    file: str
    line: int


class _Report(msgspec.Struct, frozen=True):
    findings: tuple[_Row, ...]


def save(root: Path, review: ReviewResult) -> None:
    """Store the findings of a review, replacing those of the previous one. A failing cache has no effect."""
    shown = [
        _reported_finding(f, review.contents.get(f.fingerprint, "")) for f in review.open_findings[:_AT_MOST]
    ]
    file = _file(root)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomic(file, msgspec.msgpack.encode(shown))


def load(root: Path) -> tuple[ReportedFinding, ...]:
    """Return the findings of the last review, in the order of positions; none without a review."""
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.msgpack.decode(_file(root).read_bytes(), type=tuple[ReportedFinding, ...])
    return ()


def load_report(path: Path) -> tuple[ReportedFinding, ...]:
    """Return the findings of a JSON report, which may come from another machine.

    Raises:
        UsageError: it is not one.
    """
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_Report)
    except OSError as cause:
        raise UsageError(f"--report {path}: {cause.strerror}; give a JSON report") from cause
    except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
        raise UsageError(f"--report {path}: {cause}; give a report of --format json") from cause
    return tuple(ReportedFinding(row.fingerprint, row.rule, row.file, row.line) for row in found.findings)


def _reported_finding(finding: Finding, content: str) -> ReportedFinding:
    return ReportedFinding(
        finding.fingerprint, finding.rule, escape_undecodable(finding.file), finding.span.line, content
    )


def _file(root: Path) -> Path:
    name = sha256(os.fsencode(root.resolve())).hexdigest()[:32]
    return cache_dir() / "shown" / name
