"""Dismissals: the finding with a dismissed fingerprint is suppressed, and no other."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from wardround.findings import Finding, Status
from wardround.processors.baseline import Acceptance
from wardround.processors.baseline_file import Baseline, BaselineEntry
from wardround.processors.dismissals_file import Dismissal, Dismissals, can_be_dismissed
from wardround.processors.model import PipelineInputs, ReviewFindings


class ApplyDismissals:
    """Suppress the open findings that people have dismissed, with their reason."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        if not inputs.dismissals.dismissed:
            return review
        matcher = DismissalMatcher(inputs.dismissals, inputs.tracked_paths())
        findings = (
            _dismiss(matcher, finding, content, inputs)
            for finding, content in zip(review.findings, review.content_names, strict=True)
        )
        return replace(review, findings=tuple(findings))


def _dismiss(matcher: DismissalMatcher, finding: Finding, content: str, inputs: PipelineInputs) -> Finding:
    """Return the finding as suppressed if an entry dismisses it; silenced if the change adds the entry."""
    is_open = finding.status is not Status.SUPPRESSED or finding.is_silenced
    entry = matcher.entry(finding, content) if is_open else None
    if entry is None:
        return finding
    is_silenced = finding.is_introduced and entry in inputs.added_entries
    return replace(finding, status=Status.SUPPRESSED, dismissal_reason=entry.reason, is_silenced=is_silenced)


class DismissalMatcher:
    """The entries of dismissed findings; each suppresses one finding."""

    def __init__(self, dismissals: Dismissals, present: Collection[str] | None = None) -> None:
        """Args:
        present: the paths that exist at the head; entries of other paths may be of renamed files.
        """
        self._entries = dismissals.dismissed
        self._acceptance = Acceptance(
            Baseline(tuple(BaselineEntry(e.file, e.rule, e.fingerprint, e.content) for e in self._entries)),
            present,
        )

    def entry(self, finding: Finding, content: str) -> Dismissal | None:
        """Return the entry of a dismissed finding; None if it is not dismissed."""
        if not can_be_dismissed(finding.rule):
            return None
        number = self._acceptance.entry(finding, content)
        return None if number is None else self._entries[number]
