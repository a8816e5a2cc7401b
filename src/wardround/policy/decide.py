"""From signals and policies to the verdict: a pure function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import msgspec
from msgspec.structs import replace

from wardround.context.document import ContextDocument
from wardround.planes.evidence import Evidence
from wardround.planes.signal import Signal
from wardround.policy.schema import Policy, PolicyRule
from wardround.policy.tiers import decide_tier
from wardround.policy.variables import condition_functions, condition_variables
from wardround.policy.verdict import Reason, Tier, Verdict, VerdictName
from wardround.text.escaping import one_line


class PolicyLine(msgspec.Struct, frozen=True):
    """One line of a policy for a review.

    Attributes:
        applies: its condition holds, or it is the line of the tier.
        verdict: the mildest one it allows where it applies.
        line: the policy's name, ``#`` and ``tiers.T3`` or ``rules.ID``.
        text: the reason, for people.
    """

    applies: bool
    verdict: VerdictName
    line: str
    text: str
    approvals: int = 0
    reviewers: tuple[str, ...] = ()


def decide(
    signals: Sequence[Signal], context: ContextDocument, evidence: Evidence, policies: Sequence[Policy]
) -> Verdict:
    """Return the strictest verdict that a line of a policy demands.

    Args:
        policies: that of the repository, then the organisation's floor if there is one. Each can only make
            the verdict stricter.
    """
    tier, reasons = decide_tier(signals, evidence, context.ran.tests)
    lines = (lines_of(policy, tier, signals, context, evidence) for policy in policies)
    applying = [line for line in chain.from_iterable(lines) if line.applies]
    name = max((line.verdict for line in applying), key=lambda verdict: verdict.strictness)
    deciding = (line for line in applying if line.verdict is name or line.approvals)
    reasons = (*(Reason(line.text, policy=line.line) for line in deciding), *reasons)
    return Verdict(
        name=name,
        tier=tier,
        policy=" + ".join(policy.identity for policy in policies),
        reasons=tuple(map(_on_one_line, reasons)),
        approvals=max(line.approvals for line in applying),
    )


def _on_one_line(reason: Reason) -> Reason:
    return replace(reason, text=one_line(reason.text))


def lines_of(
    policy: Policy, tier: Tier, signals: Sequence[Signal], context: ContextDocument, evidence: Evidence
) -> Iterator[PolicyLine]:
    """Return the line of the tier and all rules of a policy; a condition that fails counts as true."""
    yield PolicyLine(
        True, policy.tiers[tier], f"{policy.name}#tiers.{tier}", f"tier {tier} gives {policy.tiers[tier]}"
    )
    variables = condition_variables(tier, signals, context, evidence)
    functions = condition_functions(context)
    for rule in policy.rules:
        try:
            applies, text = rule.condition.holds(variables, functions), rule.because
        except ValueError as cause:
            applies, text = True, f"{rule.because} (assumed, since the condition failed: {cause})"
        yield PolicyLine(
            applies, rule.at_least, f"{policy.name}#rules.{rule.id}", text, rule.approvals, _reviewers(rule)
        )


def _reviewers(rule: PolicyRule) -> tuple[str, ...]:
    return () if isinstance(rule.reviewers, msgspec.UnsetType) else rule.reviewers
