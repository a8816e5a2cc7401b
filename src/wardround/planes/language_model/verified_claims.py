"""The claims of the first pass that quote the change, and what becomes of them in the second."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from wardround.change.encoding import escape_undecodable
from wardround.findings import RawFinding, Severity
from wardround.model_claims import DroppedClaim, ModelClaim, SecondPass

REFUTED = "refuted"
UNFOUNDED = "refuted without evidence"
UNJUDGED = "without a verdict of the second pass"
"""The reasons for which a claim of the first pass is dropped after the second."""


class CheckedClaim(msgspec.Struct, frozen=True):
    """A claim that quotes a sent line, as the second pass gets it: without secrets."""

    file: str
    line: int
    quote: str
    severity: str
    message: str


class Verified(msgspec.Struct, frozen=True):
    """The claims that quote a sent line as findings, and reason -> the number of the others.

    Attributes:
        claims: one for each finding.
        dropped: those that quote none, or that the second pass did not uphold.
    """

    findings: tuple[RawFinding, ...] = ()
    discarded: dict[str, int] = {}
    claims: tuple[CheckedClaim, ...] = ()
    dropped: tuple[DroppedClaim, ...] = ()

    def merge(self, other: Verified, most: int) -> Verified:
        """Return the claims of two answers, if there are too many the most severe ones.

        Args:
            most: the number of claims that the second pass can judge.
        """
        both = ClaimsSoFar()
        for verified in (self, other):
            both.discarded.update(verified.discarded)
            both.dropped += verified.dropped
            for finding, claim in zip(verified.findings, verified.claims, strict=True):
                both.add(finding, claim)
        both.limit(most)
        return both.verified

    def apply_verdicts(self, verdicts: Mapping[int, SecondPass]) -> Verified:
        """Return the claims that the second pass upheld.

        Args:
            verdicts: the number of a claim, from 0 -> its verdict; a claim without one is dropped.
        """
        upheld = ClaimsSoFar()
        upheld.discarded.update(self.discarded)
        upheld.dropped += self.dropped
        for number, (finding, claim) in enumerate(zip(self.findings, self.claims, strict=True)):
            verdict = verdicts.get(number)
            if verdict is not None and verdict.verdict == "upheld":
                upheld.add(_add_verdict(finding, verdict), claim)
            else:
                upheld.drop(_drop_claim(finding, claim, verdict))
        return upheld.verified


class ClaimsSoFar:
    """Collects claims: one finding for each position and message, of the highest severity."""

    def __init__(self) -> None:
        self._findings: dict[tuple[str, int, str], RawFinding] = {}
        self._claims: dict[tuple[str, int, str], CheckedClaim] = {}
        self.discarded: Counter[str] = Counter()
        self.dropped: list[DroppedClaim] = []

    def add(self, finding: RawFinding, claim: CheckedClaim) -> None:
        key = finding.file, finding.span.line, finding.message
        before = self._findings.get(key, finding)
        if before is not finding:
            self.discarded["repeated"] += 1
        severity = max(finding.severity or Severity.INFO, before.severity or Severity.INFO)
        self._findings[key] = replace(finding, severity=severity)
        self._claims[key] = replace(claim, severity=severity.label)

    def limit(self, most: int) -> None:
        """Keep at most so many claims, the most severe ones."""
        ranked = sorted(self._findings, key=lambda key: -(self._findings[key].severity or Severity.INFO))
        for key in ranked[most:]:
            del self._findings[key], self._claims[key]
            self.discarded[f"more than {most}"] += 1

    def drop(self, claim: DroppedClaim) -> None:
        self.discarded[claim.reason] += 1
        self.dropped.append(claim)

    @property
    def verified(self) -> Verified:
        return Verified(
            tuple(self._findings.values()),
            dict(sorted(self.discarded.items())),
            tuple(self._claims.values()),
            tuple(self.dropped),
        )


def _add_verdict(finding: RawFinding, verdict: SecondPass) -> RawFinding:
    return replace(finding, claim=ModelClaim(_quote(finding), verdict))


def _quote(finding: RawFinding) -> str:
    return "" if finding.claim is None else finding.claim.quote


def _drop_claim(finding: RawFinding, claim: CheckedClaim, verdict: SecondPass | None) -> DroppedClaim:
    """Return a claim that the second pass did not uphold."""
    reason = UNJUDGED if verdict is None else UNFOUNDED if verdict.is_unfounded else REFUTED
    file, line = escape_undecodable(finding.file), finding.span.line
    return DroppedClaim(file, line, claim.severity, finding.message, _quote(finding), reason, verdict)
