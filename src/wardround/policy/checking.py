"""Checks of a policy beyond its schema: what it accepts, and that its version identifies its content."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from wardround.errors import ConfigError
from wardround.policy.decide import lines_of
from wardround.policy.gate import GateOutcome
from wardround.policy.schema import Policy
from wardround.policy.variables import sample_review
from wardround.policy.verdict import Tier, VerdictName

_WITHOUT_PEOPLE = (VerdictName.AUTO_MERGE, VerdictName.AUTO_APPROVE)


def permissive_parts(policy: Policy) -> Iterator[str]:
    """Yield a line for each kind of review that should not pass without people and does."""
    missing = _verdict(policy, Tier.T5, GateOutcome.INCONCLUSIVE)
    if missing in _WITHOUT_PEOPLE:
        yield (
            f"T5 gives {missing}: required evidence is missing there, or security has an error; "
            f"give human-review or a stricter verdict"
        )
    blocked = {tier: _verdict(policy, tier, GateOutcome.BLOCKED) for tier in Tier}
    passed = [tier for tier, verdict in blocked.items() if verdict in _WITHOUT_PEOPLE]
    if passed:
        yield (
            f"a blocked gate gives {blocked[passed[0]]} in {', '.join(passed)}; add a rule "
            f'when: gate == "blocked" with at-least: human-review or a stricter verdict'
        )


def _verdict(policy: Policy, tier: Tier, gate: GateOutcome) -> VerdictName:
    """Return the verdict on a small change without findings in this tier."""
    signals, context, evidence = sample_review()
    lines = lines_of(policy, tier, signals, context, replace(evidence, gate=gate.value))
    return max((line.verdict for line in lines if line.applies), key=lambda line: line.strictness)


def require_new_version(policy: Policy, former: Policy, origin: str, revision: str) -> None:
    """Require a higher version where the content of a policy with the same name changed.

    Args:
        former: the policy at ``revision``.

    Raises:
        ConfigError: the version is not higher.
    """
    is_changed = policy.name == former.name and policy.digest != former.digest
    if is_changed and policy.version <= former.version:
        raise ConfigError(
            f"{origin}: its content differs from {revision}, where it has version {former.version}, and its "
            f"version is {policy.version}; raise the version"
        )
