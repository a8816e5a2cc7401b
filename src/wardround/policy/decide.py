"""From signals and policies to the verdict: a pure function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from wardround.context.document import ContextDocument
from wardround.planes.evidence import Evidence
from wardround.planes.signal import Signal
from wardround.policy.schema import Policy, PolicyRule
from wardround.policy.tiers import decide_tier
from wardround.policy.variables import condition_functions, condition_variables
from wardround.policy.verdict import Reason, Tier, Verdict, VerdictName


class Demand(msgspec.Struct, frozen=True):
    """One line of a policy that applies.

    Attributes:
        verdict: the mildest one it allows.
        line: the policy's name, ``#`` and ``tiers.T3`` or ``rules.ID``.
        text: the reason, for people.
    """

    verdict: VerdictName
    line: str
    text: str
    approvals: int = 0


def decide(
    signals: Sequence[Signal], context: ContextDocument, evidence: Evidence, policies: Sequence[Policy]
) -> Verdict:
    """Return the strictest verdict that a line of a policy demands.

    Args:
        policies: that of the repository, then the organisation's floor if there is one. Each can only make
            the verdict stricter.
    """
    tier, reasons = decide_tier(signals, evidence)
    demands = [d for policy in policies for d in _demands(policy, tier, signals, context, evidence)]
    name = max((demand.verdict for demand in demands), key=lambda verdict: verdict.strictness)
    deciding = [demand for demand in demands if demand.verdict is name or demand.approvals]
    return Verdict(
        name=name,
        tier=tier,
        policy=" + ".join(policy.identity for policy in policies),
        reasons=(*(Reason(d.text, policy=d.line) for d in deciding), *reasons),
        approvals=max(demand.approvals for demand in demands),
    )


def _demands(
    policy: Policy, tier: Tier, signals: Sequence[Signal], context: ContextDocument, evidence: Evidence
) -> Iterator[Demand]:
    """The lines of a policy that apply: that of the tier, and the rules whose condition holds."""
    yield Demand(policy.tiers[tier], f"{policy.name}#tiers.{tier}", f"tier {tier} gives {policy.tiers[tier]}")
    variables = condition_variables(tier, signals, context, evidence)
    functions = condition_functions(context)
    for rule in policy.rules:
        try:
            applies, text = rule.condition.holds(variables, functions), rule.because
        except ValueError as cause:
            applies, text = True, f"{rule.because} (assumed, since the condition failed: {cause})"
        if applies:
            yield _demand(policy, rule, text)


def _demand(policy: Policy, rule: PolicyRule, text: str) -> Demand:
    return Demand(rule.at_least, f"{policy.name}#rules.{rule.id}", text, rule.approvals)
