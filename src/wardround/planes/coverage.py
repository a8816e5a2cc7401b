"""The part that all planes share: which evidence a plane requires, and the signal that follows from it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

import msgspec

from wardround.context.document import ContextDocument
from wardround.findings import Plane
from wardround.planes.evidence import Evidence, FileEvidence, FindingEvidence, MissingEvidence
from wardround.planes.signal import PlaneStatus, Signal
from wardround.text.escaping import one_line

MOST_REASONS = 20
"""The limit on reasons in a signal; the last one then counts the others."""


class FindingsPlane(msgspec.Struct, frozen=True, dict=True):
    """A plane that judges the findings of tools and checks.

    Attributes:
        name: the plane.
        reviewers: specialist -> the reviewers that must have returned a result for each file it claims; the
            keys are the kinds of file the plane applies to.
        tools: other tools that contribute findings; one that fails leaves the plane inconclusive.
        change_reviewers: specialists whose checks of the entire change must have run.
        profiles: those that require the plane.
    """

    name: Plane
    reviewers: Mapping[str, tuple[str, ...]]
    tools: frozenset[str]
    change_reviewers: tuple[str, ...] = ()
    profiles: frozenset[str] = frozenset({"commit", "ci"})

    def is_required(self, profile: str) -> bool:
        """Return True if a review with this profile needs the signal of the plane."""
        return profile in self.profiles

    def analyse(self, context: ContextDocument, evidence: Evidence) -> Signal:
        """Judge the findings of the plane, if everything that the plane requires has reported."""
        applicable = [file for file in evidence.files if self.applies_to(file.specialists)]
        found = [finding for finding in evidence.introduced if finding.plane is self.name]
        if not applicable and not found:
            return Signal(self.name, PlaneStatus.NOT_APPLICABLE, is_required=False)
        reasons = tuple(self._gaps(applicable, evidence))
        confidence, derivation = self._confidence(found, applicable, reasons)
        return Signal(
            plane=self.name,
            status=PlaneStatus.INCONCLUSIVE if reasons else PlaneStatus.REVIEWED,
            severity=max(found, key=lambda finding: finding.level).severity if found else "none",
            confidence=confidence,
            findings=tuple(sorted(finding.fingerprint for finding in found)),
            derivation=derivation,
            reasons=_limited(reasons),
            is_required=self.is_required(evidence.profile),
        )

    def applies_to(self, specialists: Collection[str]) -> bool:
        """Return True if the plane judges a file that these specialists claim."""
        return not self.reviewers.keys().isdisjoint(specialists)

    def _gaps(self, files: list[FileEvidence], evidence: Evidence) -> Iterator[str]:
        """The required results that are missing, a line each."""
        for file in files:
            for reviewer in self._required_for(file):
                if reviewer not in file.reviewers:
                    yield f"{file.path}: no result of {reviewer}"
        paths = {file.path for file in files}
        for missing in evidence.missing:
            if missing.file in paths and self._is_affected_by(missing):
                yield f"{missing.file}: {missing.tool}: {missing.reason}"
        for name in self.change_reviewers:
            if files and name not in evidence.change_reviewers:
                yield f"no result of the checks of {name} for the entire change"
        for one in evidence.partial:
            if one.specialist in self.change_reviewers:
                yield one.reason

    def _required_for(self, file: FileEvidence) -> list[str]:
        names = [name for specialist in file.specialists for name in self.reviewers.get(specialist, ())]
        return list(dict.fromkeys(names))

    def _is_affected_by(self, missing: MissingEvidence) -> bool:
        """Return True if the missing result could have been a finding of this plane."""
        return missing.tool in self._contributors or missing.tool in ("git", missing.specialist)

    @cached_property
    def _contributors(self) -> frozenset[str]:
        return self.tools.union(*self.reviewers.values())

    def _confidence(
        self, found: list[FindingEvidence], files: list[FileEvidence], gaps: tuple[str, ...]
    ) -> tuple[float, tuple[str, ...]]:
        """The probability that the severity is right, and its derivation.

        With findings: that one of the most severe is true, taken as independent. Without: 1 if every required
        result exists.
        """
        if not found:
            return (0.0 if gaps else 1.0), (f"{len(files)} files, {len(gaps)} required results missing",)
        level = max(finding.level for finding in found)
        top = [finding for finding in found if finding.level == level]
        wrong = math.prod(1 - finding.confidence for finding in top)
        lines = sorted({f"{finding.rule}: {finding.confidence:g}" for finding in top})
        return round(1 - wrong, 6), tuple(lines[:MOST_REASONS])


def _limited(reasons: tuple[str, ...]) -> tuple[str, ...]:
    """Return the reasons, a line each, as many as a signal may have."""
    if len(reasons) > MOST_REASONS:
        reasons = (*reasons[: MOST_REASONS - 1], f"{len(reasons) - MOST_REASONS + 1} more")
    return tuple(map(one_line, reasons))
