"""The findings that a change hides by settings that it alters, where its own settings apply."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from wardround.findings import ENTIRE_CHANGE, Finding, Status, Unreviewed
from wardround.processors.model import ReviewFindings

_OWN_RULES = "wardround/"


class FormerSettings(msgspec.Struct, frozen=True):
    """The review under the settings of the target.

    Attributes:
        review: its findings; empty where the change alters no settings.
        problem: the reason why there are none; empty if there are findings or none were needed.
    """

    review: ReviewFindings = ReviewFindings()
    problem: str = ""

    def added_to(self, review: ReviewFindings) -> ReviewFindings:
        """Return a review with what its settings hide as silenced, and counted at the former severity."""
        former = dict(self._introduced_findings())
        if not former:
            return review
        known = {finding.fingerprint for finding in review.findings if finding.is_introduced}
        raised = (_restore_count(finding, former) for finding in review.findings)
        pairs = list(zip(raised, review.content_names, strict=True))
        pairs += [
            (_silence(finding, review), name)
            for finding, name in former.values()
            if finding.fingerprint not in known
        ]
        pairs.sort(key=lambda pair: pair[0].sort_key)
        findings, names = zip(*pairs, strict=True)
        return replace(review, findings=findings, content_names=names)

    def missing(self, review: ReviewFindings) -> Iterator[Unreviewed]:
        """Yield the results that are missing under the settings of the target alone."""
        if self.problem:
            yield Unreviewed(ENTIRE_CHANGE, "", "wardround", self.problem)
        known = {(gap.file, gap.specialist, gap.tool) for gap in review.unreviewed}
        for gap in self.review.unreviewed:
            if (gap.file, gap.specialist, gap.tool) not in known:
                yield gap

    def _introduced_findings(self) -> Iterator[tuple[str, tuple[Finding, str]]]:
        """Yield the findings about the change by fingerprint; those about its settings are none."""
        for finding, name in zip(self.review.findings, self.review.content_names, strict=True):
            if finding.is_introduced and not finding.rule.startswith(_OWN_RULES):
                yield finding.fingerprint, (finding, name)


def _restore_count(finding: Finding, former: dict[str, tuple[Finding, str]]) -> Finding:
    if finding.fingerprint not in former or not finding.is_introduced:
        return finding
    severity = former[finding.fingerprint][0].severity_of_rule
    return finding if severity <= finding.severity_of_rule else replace(finding, counted=severity)


def _silence(finding: Finding, review: ReviewFindings) -> Finding:
    """The finding as suppressed, without text that only the settings of the change know for a secret."""
    message = review.mask_text(finding.message)
    return replace(finding, status=Status.SUPPRESSED, is_silenced=True, message=message, suggested_fix=None)
