"""From the evidence to the verdict: planes, tier and policy, for a review and for a replay."""

from __future__ import annotations

import msgspec

from wardround.context.document import ContextDocument
from wardround.planes.evidence import Evidence
from wardround.planes.language_model.influence import uses_model, without_model
from wardround.planes.run import run_planes
from wardround.planes.signal import Signal
from wardround.policy.decide import decide
from wardround.policy.schema import Policy
from wardround.policy.verdict import Verdict, stricter


class Conclusion(msgspec.Struct, frozen=True):
    """The verdict on a change, with everything from which it is derived.

    Attributes:
        policies: that of the repository, then the organisation's floor if there is one.
    """

    context: ContextDocument
    evidence: Evidence
    signals: tuple[Signal, ...]
    verdict: Verdict
    policies: tuple[Policy, ...]


def conclude(context: ContextDocument, evidence: Evidence, policies: tuple[Policy, ...]) -> Conclusion:
    """Derive the signals and the verdict, which is never milder than without a language model."""
    signals, evidence = run_planes(context, evidence)
    verdict = decide(signals, context, evidence, policies)
    if uses_model(evidence):
        static = without_model(evidence)
        verdict = stricter(verdict, decide(run_planes(context, static)[0], context, static, policies))
    return Conclusion(context, evidence, signals, verdict, policies)
