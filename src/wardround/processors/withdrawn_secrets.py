"""Findings about secrets that a commit of the reviewed range adds and a later one removes."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from wardround.execution.model import PartialReview
from wardround.findings import Finding
from wardround.processors.model import ReviewFindings


class WithdrawnSecrets(msgspec.Struct):
    """The findings about secrets that are only in the history.

    Attributes:
        found: each finding with its name by content.
        partial: the parts of the history that were not reviewed.
    """

    found: list[tuple[Finding, str]] = msgspec.field(default_factory=list)
    partial: list[PartialReview] = msgspec.field(default_factory=list)

    @property
    def notes(self) -> Iterator[str]:
        """The parts of the history that were not reviewed, for people."""
        return (f"{gap.specialist}: not reviewed in part: {gap.reason}" for gap in self.partial)

    def added_to(self, review: ReviewFindings) -> ReviewFindings:
        """Return a review with these findings in their places."""
        if not self.found:
            return review
        known = {finding.fingerprint for finding in review.findings}
        pairs = list(zip(review.findings, review.content_names, strict=True))
        pairs += [pair for pair in self.found if pair[0].fingerprint not in known]
        pairs.sort(key=lambda pair: pair[0].sort_key)
        findings, names = zip(*pairs, strict=True)
        return replace(review, findings=findings, content_names=names)
