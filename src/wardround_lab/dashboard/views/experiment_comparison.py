"""The comparison of two configurations, of one run or of two."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.errors import UsageError
from wardround_lab.dashboard.views.experiment_runs import ShownRun, directions_of, side_by_side
from wardround_lab.experiments.comparison.reward_differences import RewardDifference, reward_differences
from wardround_lab.experiments.comparison.run_table import in_words, number_in_words, p_in_words


class DifferenceRow(msgspec.Struct, frozen=True):
    """The difference of one reward in words; see ``wardround lab compare``."""

    reward: str
    first: str
    second: str
    difference: str
    p: str
    pairs: int
    verdict: str


class Comparison(msgspec.Struct, frozen=True):
    """Two configurations on their common instances: the first less the second."""

    first: str
    second: str
    differences: tuple[RewardDifference, ...]

    @property
    def rows(self) -> list[DifferenceRow]:
        """The differences in words."""
        return [
            DifferenceRow(
                difference.reward,
                number_in_words(difference.first),
                number_in_words(difference.second),
                in_words(difference.difference.interval, sign="+"),
                p_in_words(difference.adjusted_p),
                difference.difference.pairs,
                difference.verdict,
            )
            for difference in self.differences
        ]


def compare(runs: Sequence[ShownRun], first: str, second: str, *, by_repository: bool = False) -> Comparison:
    """Compare two configurations by their names.

    Raises:
        UsageError: one does not exist, or they have no common instance.
    """
    known = {results.name: results for results in side_by_side(runs)}
    missing = [name for name in (first, second) if name not in known]
    if missing:
        raise UsageError(f"the chosen runs have no configuration {missing[0]!r}; choose another one")
    if first == second:
        raise UsageError("A and B are the same configuration; choose two different ones")
    differences = reward_differences(
        known[first], known[second], directions_of(runs), by_repository=by_repository
    )
    return Comparison(first, second, tuple(differences))
