"""The logic that all planes share: the evidence that a plane requires, and the signal that follows from
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

import msgspec
from msgspec.structs import replace

from wardround.analyses.derived import derivation_of
from wardround.analyses.registry import analyses_of
from wardround.context.document import ContextDocument
from wardround.findings import RUN, Plane
from wardround.planes.claims import (
    Claim,
    ClaimSource,
    SourceKind,
    claim,
    claim_lines,
    confidence_of,
    static_source,
)
from wardround.planes.evidence import (
    Evidence,
    FileEvidence,
    FindingEvidence,
    MissingEvidence,
    crash_name_of_analysis,
)
from wardround.planes.plane_reviewers import PlaneReviewers
from wardround.planes.signal import PlaneStatus, Signal
from wardround.text.escaping import one_line

MOST_REASONS = 20
"""Maximum number of reasons in a signal; the last one then counts the others."""


Extension = Callable[[Signal, ContextDocument, Evidence], Signal]


def _unchanged_signal(signal: Signal, context: ContextDocument, evidence: Evidence) -> Signal:
    return signal


class FindingsPlane(msgspec.Struct, frozen=True):
    """A plane that judges the findings of tools and checks.

    Specialists and tools declare the files that it judges, and the results that it requires.

    Attributes:
        name: the plane.
        profiles: those that require the plane.
        extend: adds what the plane judges besides findings.
    """

    name: Plane
    profiles: frozenset[str] = frozenset({"commit", "ci"})
    extend: Extension = _unchanged_signal

    def is_required(self, profile: str) -> bool:
        """Return True if a review with this profile needs the signal of the plane."""
        return profile in self.profiles

    def analyse(self, context: ContextDocument, evidence: Evidence) -> Signal:
        """Judge the findings of the plane, if everything that the plane requires has reported."""
        signal = self._judge_evidence(evidence)
        lines = tuple(self._lines_of_notes(evidence))
        return self.extend(replace(signal, derivation=(*signal.derivation, *lines)), context, evidence)

    def _lines_of_notes(self, evidence: Evidence) -> Iterator[str]:
        """Yield lines about the notes of analyses, which change no severity; policies decide about them."""
        for analysis in analyses_of(self.name):
            yield from derivation_of(analysis, evidence.notes_of(type(analysis)))

    def _crashed_analyses(self, evidence: Evidence) -> Iterator[str]:
        """Yield the crashes of the analyses of the plane, a line each."""
        names = {crash_name_of_analysis(analysis.name) for analysis in analyses_of(self.name)}
        for partial in evidence.partial:
            if partial.specialist in names:
                yield partial.reason

    def _judge_evidence(self, evidence: Evidence) -> Signal:
        reviewers = evidence.reviewers_of(self.name)
        applicable = [file for file in evidence.files if reviewers.judge(file.specialists)]
        found = [finding for finding in evidence.introduced if finding.plane is self.name]
        crashes = tuple(self._crashed_analyses(evidence))
        if not applicable and not found and not crashes:
            return Signal(self.name, PlaneStatus.NOT_APPLICABLE, is_required=False)
        reasons = (*_gaps(reviewers, applicable, evidence), *crashes)
        claims = _claims(found, applicable, reasons, reviewers)
        return Signal(
            plane=self.name,
            status=PlaneStatus.INCONCLUSIVE if reasons else PlaneStatus.REVIEWED,
            severity=max(found, key=lambda finding: finding.level).severity if found else "none",
            confidence=confidence_of(claims),
            findings=tuple(sorted(finding.fingerprint for finding in found)),
            derivation=tuple(claim_lines(claims)),
            reasons=_limit_reasons(reasons),
            is_required=self.is_required(evidence.profile),
            claims=claims,
        )


def _gaps(reviewers: PlaneReviewers, files: list[FileEvidence], evidence: Evidence) -> Iterator[str]:
    """Yield the required results that are missing, a line each."""
    for file in files:
        for reviewer in reviewers.required_for(file.specialists):
            if reviewer not in file.reviewers:
                yield f"{file.path}: no result of {reviewer}"
    yield from _tool_gaps(reviewers, {file.path for file in files}, evidence)
    if files:
        yield from _change_level_gaps(reviewers, evidence)
    for partial in evidence.partial:
        if partial.specialist in reviewers.contributors.union(reviewers.change_level):
            yield partial.reason


def _tool_gaps(reviewers: PlaneReviewers, paths: Set[str], evidence: Evidence) -> Iterator[str]:
    for missing in evidence.missing:
        if missing.file in paths and _is_affected_by(missing, reviewers):
            yield f"{missing.file}: {missing.tool}: {missing.reason}"


def _change_level_gaps(reviewers: PlaneReviewers, evidence: Evidence) -> Iterator[str]:
    for name in reviewers.change_level:
        if name not in evidence.change_reviewers:
            yield f"no result of the checks of {name} for the entire change"


def _is_affected_by(missing: MissingEvidence, reviewers: PlaneReviewers) -> bool:
    """Return True if the missing result could have been a finding of the plane."""
    return missing.tool in reviewers.contributors or missing.tool in ("git", missing.specialist)


def _claims(
    found: list[FindingEvidence],
    files: list[FileEvidence],
    gaps: tuple[str, ...],
    reviewers: PlaneReviewers,
) -> tuple[Claim, ...]:
    """Return the claim that the severity rests on: its findings, or complete results without one.

    A severity is correct if one of the most severe findings is. Notes of a run count nothing.
    """
    notes = [finding for finding in found if finding.is_run_note]
    listed = (claim(f"{len(notes)} notes of a run", map(finding_source, notes), counts=False),)
    return (_severity_claim(found, files, gaps, reviewers), *(listed if notes else ()))


def _severity_claim(
    found: list[FindingEvidence],
    files: list[FileEvidence],
    gaps: tuple[str, ...],
    reviewers: PlaneReviewers,
) -> Claim:
    counting = [finding for finding in found if not finding.is_run_note]
    if counting:
        level = max(finding.level for finding in counting)
        top = [finding for finding in counting if finding.level == level]
        return claim(f"findings at {level.label}", map(finding_source, top))
    text = f"no finding in {len(files)} files, {len(gaps)} required results missing"
    return claim(text, () if gaps else _sources(files, reviewers))


def _sources(files: list[FileEvidence], reviewers: PlaneReviewers) -> Iterator[ClaimSource]:
    """Yield the reviewers that returned a result for the files, if the plane depends on them."""
    for name in sorted({name for file in files for name in file.reviewers}):
        if name in reviewers.contributors or name in reviewers.change_level:
            yield static_source(name, is_tool=name in reviewers.tools)
    for name in reviewers.change_level:
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


def _limit_reasons(reasons: tuple[str, ...]) -> tuple[str, ...]:
    """Return the reasons, a line each, as many as a signal may have."""
    if len(reasons) > MOST_REASONS:
        reasons = (*reasons[: MOST_REASONS - 1], f"{len(reasons) - MOST_REASONS + 1} more")
    return tuple(map(one_line, reasons))
