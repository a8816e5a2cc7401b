"""The influence of a language model on signals and verdict: stricter or none, never milder."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from wardround.findings import Severity
from wardround.planes.claims import claim
from wardround.planes.coverage import finding_source
from wardround.planes.evidence import Evidence, Exchange, FindingEvidence
from wardround.planes.language_model.claim_counts import claim_counts
from wardround.planes.signal import PlaneStatus, Signal, add_claims


def uses_model(evidence: Evidence) -> bool:
    """Return True if a language model is part of the evidence."""
    return bool(evidence.exchanges) or any(finding.is_from_model for finding in evidence.findings)


def add_model_findings(signal: Signal, evidence: Evidence) -> Signal:
    """Return the signal of a plane with the findings of its language model.

    A plane whose model returned no usable answer is inconclusive, and one whose model did not see every hunk
    is not certain. A finding that is more severe than those of tools and checks sets the severity; the
    confidence is then at most the probability that one of the most severe findings is true. A finding that
    several planes reported counts in each of them.
    """
    found = [
        finding
        for finding in evidence.introduced
        if finding.is_from_model and finding.is_reported_by(signal.plane)
    ]
    exchanges = [exchange for exchange in evidence.exchanges if exchange.plane is signal.plane]
    if not found and not exchanges:
        return signal
    severity, confidence, claims = signal.severity, signal.confidence, signal.claims
    level = max((finding.level for finding in found), default=Severity.INFO)
    if found and level > signal.level:
        severity = level.label
        claims += (
            claim(
                f"findings at {severity}",
                [finding_source(finding) for finding in found if finding.level == level],
            ),
        )
        confidence = min(confidence, claims[-1].confidence)
    fingerprints = sorted({*signal.findings, *(finding.fingerprint for finding in found)})
    known = replace(
        signal,
        severity=severity,
        confidence=confidence,
        claims=claims,
        findings=tuple(fingerprints),
        derivation=(*signal.derivation, *filter(None, map(_describe_exchange, exchanges))),
    )
    for exchange in exchanges:
        known = _require_answer(known, exchange)
    return known


def _require_answer(signal: Signal, exchange: Exchange) -> Signal:
    """Return the signal of a plane that requires the answer of its model about every hunk."""
    if signal.status is PlaneStatus.NOT_APPLICABLE:
        return signal
    if exchange.problem:
        signal = add_claims(signal, claim("a usable answer of the language model", ()))
        reasons = (*signal.reasons, f"language model: {exchange.problem}")
        return replace(signal, status=PlaneStatus.INCONCLUSIVE, reasons=reasons)
    if exchange.omitted_hunks:
        return add_claims(signal, claim("the language model read every hunk", ()))
    return signal


def _describe_exchange(exchange: Exchange) -> str:
    """Return the contribution of a model; nothing for a second pass, whose verdicts are counted with the
    first one.
    """
    if exchange.problem:
        return f"language model: no usable answer: {exchange.problem}"
    if exchange.step == "refutation":
        return ""
    omitted = f", {exchange.omitted_hunks} hunks not in the input" if exchange.omitted_hunks else ""
    return f"language model: {claim_counts(exchange)}{omitted}"


def without_model(evidence: Evidence) -> Evidence:
    """Return the evidence without the language model, with the gate that follows from it."""
    if not uses_model(evidence):
        return evidence
    findings = tuple(finding for finding in evidence.findings if not finding.is_from_model)
    return replace(evidence, findings=findings, exchanges=(), gate=_gate(evidence, findings))


def _gate(evidence: Evidence, findings: Sequence[FindingEvidence]) -> str:
    """Return the outcome of the gate; only a blocked one can follow from findings of a model."""
    if evidence.gate != "blocked" or evidence.fail_level == "none":
        return evidence.gate
    level = Severity.from_label(evidence.fail_level)
    if any(finding.is_introduced and finding.level >= level for finding in findings):
        return "blocked"
    return "inconclusive" if evidence.missing else "pass"
