"""The reports of a CI run: one table of their files, and what ``--report`` adds."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from wardround.errors import UsageError
from wardround.text.escaping import one_line

RECORD = "review.intoto.jsonl"
SARIF = "report.sarif"


class CiReport(msgspec.Struct, frozen=True):
    """A file in the directory of reports.

    Attributes:
        is_default: it is written without a request.
    """

    format: str
    file: str
    is_default: bool = False


CI_REPORTS = (
    CiReport("json", "report.json", is_default=True),
    CiReport("sarif", SARIF, is_default=True),
    CiReport("text", "report.txt", is_default=True),
    CiReport("markdown", "report.md", is_default=True),
    CiReport("html", "report.html", is_default=True),
    CiReport("junit", "planes.xml", is_default=True),
    CiReport("warnings-ng", "issues.json", is_default=True),
    CiReport("gitlab", "gitlab.json"),
    CiReport("checkstyle", "checkstyle.xml"),
    CiReport("rdjson", "rdjson.json"),
    CiReport("rdjsonl", "rdjson.jsonl"),
    CiReport("github", "annotations.txt"),
)


def ci_reports(requests: Iterable[str]) -> list[CiReport]:
    """Return the default reports, then the requested ones.

    Args:
        requests: a format each, or ``format=file``.

    Raises:
        UsageError: a format does not exist or has no file, or a file is not a name of its own.
    """
    reports = [report for report in CI_REPORTS if report.is_default]
    for request in requests:
        report = _requested_report(request)
        if report not in reports:
            _require_free_name(request, report.file, {RECORD, *(other.file for other in reports)})
            reports.append(report)
    return reports


def _requested_report(request: str) -> CiReport:
    from wardround.reports import formats, is_format

    name, _, file = request.partition("=")
    if not is_format(name):
        raise UsageError(f"--report {one_line(name)}: unknown format; choose from {', '.join(formats())}")
    known = next((report for report in CI_REPORTS if report.format == name), None)
    if known is not None and file in ("", known.file):
        return known
    if not file:
        raise UsageError(
            f"--report {name}: this format has no usual file; name one with --report {name}=FILE"
        )
    return CiReport(name, file)


def _require_free_name(request: str, file: str, used: Collection[str]) -> None:
    if "/" in file or "\\" in file or "\0" in file or file in (".", ".."):
        raise UsageError(
            f"--report {one_line(request)}: the file lies in --reports-dir; give a name without a folder"
        )
    if file in used:
        raise UsageError(f"--report {one_line(request)}: {file} is another report; give another file")
