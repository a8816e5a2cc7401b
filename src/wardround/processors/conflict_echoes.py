"""Errors that parsers and linters report because of the markers of a merge conflict."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from wardround.findings import INTRODUCED, MERGE_CONFLICT, SYNTAX_ERROR, Finding, Severity
from wardround.processors.model import ChangeTexts, PipelineInputs, ReviewFindings

_MARKERS = ("<<<<<<< ", "=======", ">>>>>>> ", "||||||| ")


class DropConflictEchoes:
    """Omit the consequences of a merge conflict that is reported itself."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        conflicts = _conflicts(review.findings)
        if not conflicts:
            return review
        retained = (
            finding
            for finding in review.findings
            if not (finding.file in conflicts and _is_echo(finding, conflicts[finding.file], inputs.texts))
        )
        return replace(review, findings=tuple(retained))


def _conflicts(findings: Sequence[Finding]) -> dict[str, Severity]:
    """Path -> the highest severity of a conflict that the change has there."""
    conflicts: dict[str, Severity] = {}
    for finding in findings:
        if finding.defect_class == MERGE_CONFLICT and finding.status in INTRODUCED:
            known = conflicts.get(finding.file, finding.severity)
            conflicts[finding.file] = max(finding.severity, known)
    return conflicts


def _is_echo(finding: Finding, severity: Severity, texts: ChangeTexts) -> bool:
    """Return True for a syntax error, or a finding on a marker, that is not worse than the conflict."""
    if finding.masked or finding.defect_class == MERGE_CONFLICT or finding.severity > severity:
        return False
    if finding.defect_class == SYNTAX_ERROR:
        return True
    lines = (texts.readable(finding.file) or "").split("\n")[finding.span.line - 1 :]
    return bool(lines) and lines[0].startswith(_MARKERS)
