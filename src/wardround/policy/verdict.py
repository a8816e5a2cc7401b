"""The verdict: what may happen to a change, and why."""

from __future__ import annotations

import enum

import msgspec


class VerdictName(enum.StrEnum):
    """The verdicts, the mildest first."""

    AUTO_MERGE = "auto-merge"
    AUTO_APPROVE = "auto-approve"
    HUMAN_REVIEW = "human-review"
    ESCALATE = "escalate"
    DECLINED = "declined"

    @property
    def strictness(self) -> int:
        """The position in the order from the mildest, 0, to the strictest."""
        return list(VerdictName).index(self)


class Tier(enum.StrEnum):
    """How much confidence the evidence allows in a change, T1 the most."""

    T1 = "T1"
    T2 = "T2"
    T3 = "T3"
    T4 = "T4"
    T5 = "T5"

    @property
    def number(self) -> int:
        """1 to 5."""
        return int(self.value[1])


class Reason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One reason for a tier or a verdict.

    Attributes:
        text: for people, one line.
        planes: the signals it follows from.
        findings: the fingerprints of the findings it follows from.
        policy: the line of the policy that applied: its name, ``#`` and ``tiers.T3`` or ``rules.ID``; empty
            for a reason of the tier.
    """

    text: str
    planes: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    policy: str = ""


class Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The verdict on a change.

    Attributes:
        policy: name and digest of the policy, and of the floor if there is one.
        approvals: the number of people who must approve.
    """

    name: VerdictName
    tier: Tier
    policy: str
    reasons: tuple[Reason, ...] = ()
    approvals: int = 0

    @property
    def is_declined(self) -> bool:
        """True if nobody may approve the change."""
        return self.name is VerdictName.DECLINED


def stricter(verdict: Verdict, other: Verdict) -> Verdict:
    """Return a verdict that is at least as strict as two, with the reasons of the other where those count."""
    name = max(verdict.name, other.name, key=lambda candidate: candidate.strictness)
    tier = max(verdict.tier, other.tier, key=lambda candidate: candidate.number)
    approvals = max(verdict.approvals, other.approvals)
    if (name, tier, approvals) == (verdict.name, verdict.tier, verdict.approvals):
        return verdict
    reasons = dict.fromkeys((*verdict.reasons, *other.reasons))
    return Verdict(name, tier, verdict.policy, tuple(reasons), approvals)
