"""The findings that pass the filter mode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wardround.change.diff import ChangedFile
from wardround.config.schema import FilterMode
from wardround.findings import INTRODUCED, Finding, Status

_CONTEXT_LINES = 3


def visible_findings(
    findings: Iterable[Finding], files: Mapping[str, ChangedFile], mode: FilterMode
) -> tuple[Finding, ...]:
    """Return the findings that pass the filter mode, in order."""
    return tuple(f for f in findings if _is_visible(f, files.get(f.file), mode))


def open_findings(
    findings: Iterable[Finding], files: Mapping[str, ChangedFile], mode: FilterMode
) -> tuple[Finding, ...]:
    """Return the visible findings that are not suppressed, in order."""
    visible = visible_findings(findings, files, mode)
    return tuple(f for f in visible if f.status is not Status.SUPPRESSED)


def _is_visible(finding: Finding, file: ChangedFile | None, mode: FilterMode) -> bool:
    if mode in ("file", "nofilter") or finding.status in INTRODUCED:
        return True
    if file is None:
        return False
    if finding.status is Status.SUPPRESSED:
        return file.is_added_line(finding.span.line)
    return mode == "diff_context" and file.is_near_change(finding.span.line, _CONTEXT_LINES)
