"""The comparison of two configurations, of one run or of two, by their common instances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from wardround.errors import UsageError
from wardround_lab.experiments.comparison.results import ConfigurationResults
from wardround_lab.experiments.comparison.statistics import PairedDifference, holm_p_values, paired_difference

_SIGNIFICANT = 0.05


class RewardDifference(msgspec.Struct, frozen=True):
    """The difference of one reward: the first configuration less the second.

    Attributes:
        is_more_better: the direction of the reward; None if it is not known.
        adjusted_p: adjusted for the number of compared rewards.
    """

    reward: str
    first: float
    second: float
    difference: PairedDifference
    is_more_better: bool | None
    adjusted_p: float

    @property
    def is_shown(self) -> bool:
        """True if chance does not explain the difference."""
        return self.adjusted_p < _SIGNIFICANT

    @property
    def verdict(self) -> str:
        """The better configuration in words."""
        if not self.is_shown:
            return "no difference shown"
        is_larger = self.difference.interval.value > 0
        if self.is_more_better is None:
            return "A is larger" if is_larger else "B is larger"
        return "A is better" if is_larger == self.is_more_better else "B is better"


def reward_differences(
    first: ConfigurationResults,
    second: ConfigurationResults,
    directions: Mapping[str, bool],
    *,
    by_repository: bool = False,
) -> list[RewardDifference]:
    """Return the differences of all rewards that both have.

    Args:
        directions: reward -> True if more is better.
        by_repository: resample repositories, not instances.

    Raises:
        UsageError: they have no common instance with a common reward.
    """
    rows = list(_paired_rows(first, second, by_repository=by_repository))
    if not rows:
        raise UsageError("the runs have no instance in common; run both experiments on the same instances")
    values = holm_p_values([difference.p for _, _, _, difference in rows])
    return [
        RewardDifference(reward, mean, other, difference, directions.get(reward), p)
        for (reward, mean, other, difference), p in zip(rows, values, strict=True)
    ]


def _paired_rows(
    first: ConfigurationResults, second: ConfigurationResults, *, by_repository: bool
) -> Iterator[tuple[str, float, float, PairedDifference]]:
    for reward in first.reward_names:
        known = set(second.instances_with(reward))
        common = [instance for instance in first.instances_with(reward) if instance in known]
        if not common:
            continue
        groups = [first.repositories[instance] for instance in common] if by_repository else common
        values, others = first.values(reward, common), second.values(reward, common)
        difference = paired_difference(values, others, groups)
        yield reward, sum(values) / len(values), sum(others) / len(others), difference
