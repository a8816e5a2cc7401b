"""The claims of a language model in reports: those that are findings with their verdicts, and the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from wardround.model_claims import DroppedClaim, ModelClaim
from wardround.planes.evidence import Evidence, Exchange, FindingEvidence
from wardround.planes.language_model.claim_counts import claim_counts
from wardround.reports.claim_lines import claim_lines
from wardround.reports.terminal import label_lines, wrap
from wardround.text.escaping import one_line

SECTION = "claims of the language model that are no findings"


def dropped_lines(evidence: Evidence) -> Iterator[str]:
    """Yield the claims that are no findings, each with the reason."""
    for exchange in evidence.exchanges:
        for claim in exchange.dropped:
            yield from _dropped_lines(claim, exchange)


def recorded_lines(evidence: Evidence) -> Iterator[str]:
    """Yield all claims of a record: the counts of each plane, the findings, and the others."""
    for exchange in _first_passes(evidence):
        if exchange.findings or exchange.discarded:
            text = f"language model, {exchange.plane}: {claim_counts(exchange)}"
            yield from wrap(one_line(text), 4, "  ")
    for finding in evidence.findings:
        if finding.claim:
            yield from _recorded_finding(finding, finding.claim)
    yield from dropped_lines(evidence)


def language_model_dict(evidence: Evidence) -> list[dict[str, Any]]:
    """Return what became of the claims of each plane."""
    return [_plane_dict(exchange, evidence) for exchange in _first_passes(evidence)]


def _first_passes(evidence: Evidence) -> list[Exchange]:
    return [exchange for exchange in evidence.exchanges if exchange.step == "claims"]


def _plane_dict(first: Exchange, evidence: Evidence) -> dict[str, Any]:
    of_plane = [exchange for exchange in evidence.exchanges if exchange.plane is first.plane]
    return {
        "plane": first.plane.value,
        "model": first.served_model or first.model,
        "claims": first.findings + sum(first.discarded.values()),
        "upheld": first.findings,
        "discarded": first.discarded,
        "dropped": msgspec.to_builtins(first.dropped),
        "problems": [exchange.problem for exchange in of_plane if exchange.problem],
    }


def _dropped_lines(claim: DroppedClaim, exchange: Exchange) -> Iterator[str]:
    location = f"{claim.file}:{claim.line}" if claim.line else claim.file
    yield from _headline(location, claim.severity, claim.message, f"language-model/{exchange.plane}")
    if claim.quote:
        yield from label_lines("quote", one_line(claim.quote))
    second = claim.second_pass
    if second is None:
        yield from wrap(f"discarded: {one_line(claim.reason)}", 9, "    ")
    else:
        reason = f": {second.reason}" if second.reason else ""
        yield from wrap(one_line(f"second pass: {claim.reason}{reason}"), 9, "    ")


def _recorded_finding(finding: FindingEvidence, claim: ModelClaim) -> Iterator[str]:
    location = f"{finding.file}:{finding.line}:{finding.column}"
    yield from _headline(location, finding.severity, finding.message, finding.rule)
    yield from claim_lines(claim)
    also = [source for source in finding.sources if source != finding.rule]
    if also:
        yield from label_lines("also", one_line(", ".join(also)))


def _headline(place: str, severity: str, message: str, rule: str) -> list[str]:
    head = f"  {one_line(place)} {one_line(severity)}  "
    return wrap(f"{one_line(message)} [{one_line(rule)}]", 4, head)
