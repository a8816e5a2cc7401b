"""The part that all planes share: which evidence a plane requires, and the signal that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property

import msgspec

from wardround.context.document import ContextDocument
from wardround.findings import RUN, Plane
from wardround.planes.claims import (
    Claim,
    ClaimSource,
    SourceKind,
    claim,
    confidence_of,
    described,
    static_source,
)
from wardround.planes.evidence import Evidence, FileEvidence, FindingEvidence, MissingEvidence
from wardround.planes.signal import PlaneStatus, Signal
from wardround.text.escaping import one_line

MOST_REASONS = 20
"""The limit on reasons in a signal; the last one then counts the others."""


Extension = Callable[[Signal, ContextDocument, Evidence], Signal]


def _unchanged(signal: Signal, context: ContextDocument, evidence: Evidence) -> Signal:
    return signal


class FindingsPlane(msgspec.Struct, frozen=True, dict=True):
    """A plane that judges the findings of tools and checks.

    Attributes:
        name: the plane.
        reviewers: specialist -> the reviewers that must have returned a result for each file it claims; the
            keys are the kinds of file the plane applies to.
        tools: other tools that contribute findings; one that fails leaves the plane inconclusive.
        change_reviewers: specialists whose checks of the entire change must have run.
        profiles: those that require the plane.
        extend: adds what the plane judges besides findings.
    """

    name: Plane
    reviewers: Mapping[str, tuple[str, ...]]
    tools: frozenset[str]
    change_reviewers: tuple[str, ...] = ()
    profiles: frozenset[str] = frozenset({"commit", "ci"})
    extend: Extension = _unchanged

    def is_required(self, profile: str) -> bool:
        """Return True if a review with this profile needs the signal of the plane."""
        return profile in self.profiles

    def analyse(self, context: ContextDocument, evidence: Evidence) -> Signal:
        """Judge the findings of the plane, if everything that the plane requires has reported."""
        return self.extend(self._judged(evidence), context, evidence)

    def _judged(self, evidence: Evidence) -> Signal:
        applicable = [file for file in evidence.files if self.applies_to(file.specialists)]
        found = [finding for finding in evidence.introduced if finding.plane is self.name]
        if not applicable and not found:
            return Signal(self.name, PlaneStatus.NOT_APPLICABLE, is_required=False)
        reasons = tuple(self._gaps(applicable, evidence))
        claims = self._claims(found, applicable, reasons)
        return Signal(
            plane=self.name,
            status=PlaneStatus.INCONCLUSIVE if reasons else PlaneStatus.REVIEWED,
            severity=max(found, key=lambda finding: finding.level).severity if found else "none",
            confidence=confidence_of(claims),
            findings=tuple(sorted(finding.fingerprint for finding in found)),
            derivation=tuple(described(claims)),
            reasons=_limited(reasons),
            is_required=self.is_required(evidence.profile),
            claims=claims,
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
            if one.specialist in self._contributors.union(self.change_reviewers):
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

    def _claims(
        self, found: list[FindingEvidence], files: list[FileEvidence], gaps: tuple[str, ...]
    ) -> tuple[Claim, ...]:
        """The claim that the severity rests on: its findings, or complete results without one.

        A severity holds if one of the most severe findings is right. Notes of a run count nothing.
        """
        notes = [finding for finding in found if finding.is_run_note]
        listed = (claim(f"{len(notes)} notes of a run", map(finding_source, notes), counts=False),)
        return (self._severity_claim(found, files, gaps), *(listed if notes else ()))

    def _severity_claim(
        self, found: list[FindingEvidence], files: list[FileEvidence], gaps: tuple[str, ...]
    ) -> Claim:
        counting = [finding for finding in found if not finding.is_run_note]
        if counting:
            level = max(finding.level for finding in counting)
            top = [finding for finding in counting if finding.level == level]
            return claim(f"findings at {level.label}", map(finding_source, top))
        text = f"no finding in {len(files)} files, {len(gaps)} required results missing"
        return claim(text, () if gaps else self._sources(files))

    def _sources(self, files: list[FileEvidence]) -> Iterator[ClaimSource]:
        """The reviewers that returned a result for the files, as far as the plane depends on them."""
        for name in sorted({name for file in files for name in file.reviewers}):
            if name in self._contributors or name in self.change_reviewers:
                yield static_source(name, is_tool=name in self.tools)
        for name in self.change_reviewers:
            yield static_source(f"{name}, checks of the change")


def finding_source(finding: FindingEvidence) -> ClaimSource:
    """Return the rule of a finding as a source, with the confidence of the finding."""
    if finding.is_from_model:
        return ClaimSource(
            finding.rule, SourceKind.LANGUAGE_MODEL, finding.confidence, "not measured; as it is configured"
        )
    if finding.specialist == RUN:
        how = (
            "observed" if finding.confidence == 1 else "as measured" if finding.confidence else "not measured"
        )
        return ClaimSource(finding.rule, SourceKind.RUN, finding.confidence, how)
    if finding.confidence < 1:
        return ClaimSource(
            finding.rule, SourceKind.MODEL, finding.confidence, "the calibration of the model in its metadata"
        )
    return static_source(finding.rule, is_tool=not finding.rule.startswith(f"{finding.specialist}/"))


def _limited(reasons: tuple[str, ...]) -> tuple[str, ...]:
    """Return the reasons, a line each, as many as a signal may have."""
    if len(reasons) > MOST_REASONS:
        reasons = (*reasons[: MOST_REASONS - 1], f"{len(reasons) - MOST_REASONS + 1} more")
    return tuple(map(one_line, reasons))
