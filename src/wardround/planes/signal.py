"""The result of one plane, and the interface of a plane."""

from __future__ import annotations

import enum
from typing import Protocol

import msgspec
from msgspec.structs import replace

from wardround.context.document import ContextDocument
from wardround.findings import Plane, Severity
from wardround.planes.claims import Claim, claim_lines
from wardround.planes.evidence import Evidence


class PlaneStatus(enum.StrEnum):
    """Reviewed, inconclusive (evidence is missing), or not applicable (nothing to review)."""

    REVIEWED = "reviewed"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not-applicable"


class Signal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of one plane.

    Attributes:
        severity: severity of the most severe finding; ``none`` without findings.
        confidence: the probability that the severity is correct, 0 to 1; 0 if nothing was reviewed.
        findings: the fingerprints of its findings, sorted.
        claims: that the confidence follows from, with their sources.
        derivation: a line for each claim and note.
        reasons: a line for each missing piece of evidence.
        is_required: the profile requires this plane.
    """

    plane: Plane
    status: PlaneStatus
    severity: str = "none"
    confidence: float = 0.0
    findings: tuple[str, ...] = ()
    derivation: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    is_required: bool = True
    claims: tuple[Claim, ...] = ()

    def __post_init__(self) -> None:
        if not 0.0 <= self.confidence <= 1.0:
            raise ValueError(f"{self.plane}: confidence is a probability, got {self.confidence}")
        if self.severity != "none":
            Severity.from_label(self.severity)

    @property
    def level(self) -> int:
        """The severity as an ordered number; 0 without findings."""
        return 0 if self.severity == "none" else int(Severity.from_label(self.severity))


def add_claims(signal: Signal, *claims: Claim) -> Signal:
    """Return a signal that rests on further claims; only its confidence can become lower."""
    every = (*signal.claims, *claims)
    lines = (*signal.derivation, *claim_lines(claims))
    confidence = min([signal.confidence, *(claim.confidence for claim in claims if claim.counts)])
    return replace(signal, claims=every, derivation=lines, confidence=confidence)


class PlaneAnalysis(Protocol):
    """One plane: a pure function of the context and the evidence."""

    @property
    def name(self) -> Plane:
        """The plane it judges."""

    def is_required(self, profile: str) -> bool:
        """Return True if a review with this profile needs its signal."""

    def analyse(self, context: ContextDocument, evidence: Evidence) -> Signal:
        """Judge the evidence."""
