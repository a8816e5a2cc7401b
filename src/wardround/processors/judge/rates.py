"""Smoothed shares of verdicts by rule and by groups of rules: few readings count little."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated

import msgspec
from msgspec import Meta

from wardround.processors.judge.facts import FindingFacts

_LEAST = 1e-3
"""Shares are clipped to this and one minus this, so that log-odds are finite."""


_Count = Annotated[int, Meta(ge=0)]


class VerdictCounts(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Judged findings of one group, without unclear ones."""

    read: _Count = 0
    worth: _Count = 0
    wrong: _Count = 0

    def without(self, other: VerdictCounts) -> VerdictCounts:
        """Return the counts without some of the findings."""
        return VerdictCounts(self.read - other.read, self.worth - other.worth, self.wrong - other.wrong)

    def plus(self, other: VerdictCounts) -> VerdictCounts:
        """Return the counts with those of further findings."""
        return VerdictCounts(self.read + other.read, self.worth + other.worth, self.wrong + other.wrong)


class RateGroup(msgspec.Struct, frozen=True):
    """A way to group findings.

    Attributes:
        of: the name of the group of a finding.
        weight: the readings as which the share of all findings counts.
    """

    of: Callable[[FindingFacts], str]
    weight: float


def _tool(facts: FindingFacts) -> str:
    return facts.rule.partition("/")[0]


_RULE = "rule"
GROUPS: Mapping[str, RateGroup] = MappingProxyType(
    {
        _RULE: RateGroup(lambda facts: facts.rule, 4),
        "rule-in-kind": RateGroup(lambda facts: f"{facts.rule} {facts.kind}", 4),
        "defect-class": RateGroup(lambda facts: facts.defect_class, 4),
        "tool": RateGroup(_tool, 10),
        "tool-in-kind": RateGroup(lambda facts: f"{_tool(facts)} {facts.kind}", 10),
    }
)
_NONE = VerdictCounts()


class RateTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The counts of judged findings.

    Attributes:
        all: rates of all findings.
        groups: name of ``GROUPS`` -> name of the group -> its counts.
    """

    all: VerdictCounts
    groups: Mapping[str, Mapping[str, VerdictCounts]]

    def __post_init__(self) -> None:
        if set(self.groups) != set(GROUPS) or self.all.read < 1:
            raise ValueError(f"rates are of {', '.join(GROUPS)}, of at least one finding")

    def counts(self, group: str, facts: FindingFacts) -> VerdictCounts:
        """Return the counts of the group of a finding."""
        return self.groups[group].get(GROUPS[group].of(facts), _NONE)

    def is_read(self, rule: str) -> bool:
        """Return True if a finding of a rule was judged."""
        return self.groups[_RULE].get(rule, _NONE).read > 0

    def plus(self, other: RateTable) -> RateTable:
        """Return the counts with those of further findings."""
        groups = {
            name: {
                key: own.get(key, _NONE).plus(other.groups[name].get(key, _NONE))
                for key in sorted({*own, *other.groups[name]})
            }
            for name, own in self.groups.items()
        }
        return RateTable(self.all.plus(other.all), groups)

    def log_odds(self, facts: FindingFacts, leave_out: RateTable | None = None) -> list[float]:
        """Return the log-odds of worth and of wrong by each group, in the order of ``GROUPS``.

        Args:
            leave_out: findings that do not count: those of the same repository, in training.
        """
        found: list[float] = []
        for name, group in GROUPS.items():
            counts, every = self.counts(name, facts), self.all
            if leave_out is not None:
                counts, every = counts.without(leave_out.counts(name, facts)), every.without(leave_out.all)
            for hits, all_hits in ((counts.worth, every.worth), (counts.wrong, every.wrong)):
                share = (hits + group.weight * all_hits / every.read) / (counts.read + group.weight)
                found.append(bounded_log_odds(share))
        return found


def bounded_log_odds(share: float) -> float:
    """Return the log-odds of a share; finite for 0 and 1, too."""
    share = min(max(share, _LEAST), 1 - _LEAST)
    return math.log(share / (1 - share))
