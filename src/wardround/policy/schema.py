"""A policy: the versioned table from tier, signals and change to the verdict."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Any

import msgspec

from wardround.context.canonical import canonical_json, content_id
from wardround.errors import ConfigError
from wardround.policy.expressions import Condition
from wardround.policy.variables import FUNCTIONS, sample_variables, variable_names
from wardround.policy.verdict import Tier, VerdictName

SCHEMA = "wardround.policy/1"
_MOST_RULES = 200
_LONGEST_CONDITION = 2_000


Reviewer = Annotated[
    str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9][A-Za-z0-9_.-]*)*$", max_length=200)
]


class PolicyRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", dict=True):
    """A rule that can only make the verdict stricter.

    Attributes:
        id: unique in the policy; reasons refer to it.
        when: a CEL expression over the variables of ``policy.variables``.
        at_least: the mildest verdict where it applies.
        approvals: the number of people who must approve where it applies.
        because: the reason, for people.
        reviewers: people, and teams as ``organisation/team``, whose review is requested where it applies.
    """

    id: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    when: Annotated[str, msgspec.Meta(min_length=1, max_length=_LONGEST_CONDITION)]
    because: Annotated[str, msgspec.Meta(min_length=1, max_length=400)]
    at_least: VerdictName = VerdictName.HUMAN_REVIEW
    approvals: Annotated[int, msgspec.Meta(ge=0, le=20)] = 0
    reviewers: Annotated[tuple[Reviewer, ...], msgspec.Meta(max_length=20)] | msgspec.UnsetType = (
        msgspec.UNSET  # absent, so that the digest of a policy without it is that of earlier versions
    )

    @cached_property
    def condition(self) -> Condition:
        """The compiled condition."""
        return Condition(self.when, variable_names(), FUNCTIONS)


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", dict=True):
    """A policy.

    Attributes:
        name: part of its identity in records.
        version: to be raised with each change of the content.
        description: for people.
        schema: the version of this format.
        tiers: the mildest verdict of each tier; a lower tier never has a milder one.
        rules: each can only make the verdict stricter.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
    version: Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
    tiers: dict[Tier, VerdictName]
    rules: Annotated[tuple[PolicyRule, ...], msgspec.Meta(max_length=_MOST_RULES)] = ()
    description: str = ""
    schema: str = SCHEMA

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the canonical JSON: comments and the order of keys do not count."""
        return content_id(canonical_json(self))

    @property
    def identity(self) -> str:
        """The name and the digest."""
        return f"{self.name}@{self.digest}"


def convert_policy(document: Any, origin: str) -> Policy:
    """Validate a policy.

    Args:
        document: plain values, as YAML or JSON has them.
        origin: the file, for messages.

    Raises:
        ConfigError: it is not a valid policy.
    """
    try:
        policy = msgspec.convert(document, Policy)
    except msgspec.ValidationError as cause:
        raise ConfigError(f"{origin}: {_describe_error(cause)}") from cause
    require_valid(policy, origin)
    return policy


def require_valid(policy: Policy, origin: str) -> None:
    """Require a supported schema, a verdict for each tier, and conditions that can be evaluated.

    Raises:
        ConfigError: one of them is missing.
    """
    if policy.schema != SCHEMA:
        raise ConfigError(f"{origin}: schema {policy.schema!r} is not supported; use {SCHEMA}")
    _require_every_tier(policy, origin)
    _require_valid_rules(policy, origin)


def _require_every_tier(policy: Policy, origin: str) -> None:
    """Require a verdict for each tier, none milder than that of a higher tier."""
    for tier in Tier:
        if tier not in policy.tiers:
            raise ConfigError(f"{origin}: tiers: {tier} has no verdict; give all of T1 to T5")
    for higher, lower in zip(list(Tier), list(Tier)[1:], strict=False):
        if policy.tiers[lower].strictness < policy.tiers[higher].strictness:
            raise ConfigError(
                f"{origin}: tiers: {lower} has {policy.tiers[lower]}, milder than {policy.tiers[higher]} of "
                f"{higher}; a lower tier needs the same verdict or a stricter one"
            )


def _require_valid_rules(policy: Policy, origin: str) -> None:
    """Require unique ids, and conditions that can be evaluated."""
    seen: set[str] = set()
    for rule in policy.rules:
        if rule.id in seen:
            raise ConfigError(f"{origin}: rules: two rules have the id {rule.id!r}; rename one")
        seen.add(rule.id)
        try:
            rule.condition.holds(*sample_variables())
        except (ConfigError, ValueError) as cause:
            raise ConfigError(f"{origin}: rules: {rule.id}: when: {cause}") from cause


def _describe_error(cause: msgspec.ValidationError) -> str:
    text, _, location_items = str(cause).partition(" - at ")
    location = re.search(r"`\$\.?([^`]*)`\Z", location_items)
    message = text[:1].lower() + text[1:]
    return f"{location[1]}: {message}" if location and location[1] else message
