"""The archive of the reports of another run, which is data of a stranger: bounded, and never unpacked."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from wardround.delivery.reported_review import MOST_BYTES, ReportedReview, parse_report
from wardround.errors import UsageError
from wardround.text.escaping import one_line

_REPORT = "report.json"
_MOST_ARCHIVE_BYTES = 64 * 2**20
_MOST_FILES = 20
_BOUNDED = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""The methods that zipfile decompresses no further than a limit; of bzip2 and lzma it decompresses all."""
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)


def read_archive(location: Path) -> bytes:
    """Read an archive, a file or the only file of a folder.

    Raises:
        UsageError: it cannot be read, or is too large.
    """
    try:
        file = _only_file(location) if location.is_dir() else location
        with file.open("rb") as opened:
            content = opened.read(_MOST_ARCHIVE_BYTES + 1)
    except OSError as cause:
        raise UsageError(f"{location}: {cause.strerror}; name the archive of the reports") from cause
    if len(content) > _MOST_ARCHIVE_BYTES:
        raise UsageError(
            f"{file} has more than {_MOST_ARCHIVE_BYTES:,} bytes; archives of reports are smaller"
        )
    return content


def _only_file(folder: Path) -> Path:
    files = sorted(folder.iterdir())
    if len(files) != 1 or files[0].is_symlink() or not files[0].is_file():
        raise UsageError(
            f"{folder} has {len(files)} entries; it must have one file, the archive of the reports"
        )
    return files[0]


def require_digest(archive: bytes, size: int, digest: str) -> None:
    """Compare an archive with its size and digest as the code host has them.

    Raises:
        UsageError: it is another one.
    """
    found = f"sha256:{hashlib.sha256(archive).hexdigest()}"
    if found != digest:
        raise UsageError(
            f"the archive has {len(archive):,} bytes and the digest {found}; "
            f"the artifact has {size:,} bytes and {one_line(digest[:80])}"
        )


def report_in(archive: bytes, commit: str) -> ReportedReview:
    """Return the report of an archive, which must be about one commit, without its links and fixes.

    A stranger may have written it: a fix would become a suggestion of this account.

    Raises:
        UsageError: it is not an archive of reports, or not about this commit.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            content = _content(opened)
    except _UNREADABLE as cause:
        raise UsageError(f"the artifact is not an archive of reports: {one_line(str(cause))}") from cause
    report = parse_report(content, f"{_REPORT} of the artifact")
    if report.commit != commit:
        about = one_line(report.context.head[:40]) or "no commit"
        raise UsageError(
            f"the report of the artifact is about {about}, the run about {commit}; "
            "check out the head of the pull request in the reviewing job"
        )
    findings = tuple(replace(finding, url=None, suggested_fix=None) for finding in report.findings)
    return replace(report, findings=findings)


def _content(archive: zipfile.ZipFile) -> bytes:
    """Return the bytes of the report."""
    names = archive.namelist()
    _require_reports(names)
    if _REPORT not in names:
        raise UsageError(f"the artifact has no {_REPORT}")
    if archive.getinfo(_REPORT).compress_type not in _BOUNDED:
        raise UsageError(f"{_REPORT} of the artifact is compressed by another method than deflate")
    with archive.open(_REPORT) as opened:
        content = opened.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise UsageError(f"{_REPORT} of the artifact has more than {MOST_BYTES:,} bytes")
    return content


def _require_reports(names: Sequence[str]) -> None:
    """Require that the entries are a few files without folders; their names are never used as paths."""
    strange = [name for name in names if not _NAME.fullmatch(name)]
    if not strange and len(names) <= _MOST_FILES and len(set(names)) == len(names):
        return
    example = one_line((strange or names)[0][:80])
    raise UsageError(
        f"the artifact has {len(names)} entries, such as {example!r}; "
        "reports lie next to each other without folders, each once"
    )
