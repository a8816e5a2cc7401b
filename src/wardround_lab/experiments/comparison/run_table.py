"""The results of a run as text: rewards by configuration, and the pairs that differ in one value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import msgspec

from wardround.authoring.stages import Value
from wardround.inference.metadata import Interval
from wardround_lab.evaluation.reports import table
from wardround_lab.experiments.comparison.results import ConfigurationResults
from wardround_lab.experiments.comparison.reward_differences import RewardDifference
from wardround_lab.experiments.comparison.statistics import (
    PairedDifference,
    holm_p_values,
    mean_interval,
    paired_difference,
)


class ConfigurationPair(msgspec.Struct, frozen=True):
    """Two configurations that differ in one value, and the difference of a reward.

    Attributes:
        difference: the second less the first.
        adjusted_p: adjusted for the number of pairs.
    """

    first: str
    second: str
    difference: PairedDifference
    adjusted_p: float


def run_lines(results: Sequence[ConfigurationResults], rewards: Sequence[str]) -> Iterator[str]:
    """Yield the tables of a run.

    Args:
        rewards: the columns; pairs are compared by the first one.
    """
    yield from reward_lines(results, rewards)
    pairs = configuration_pairs(results, rewards[0])
    if pairs:
        yield ""
        yield f"{rewards[0]}, pairs that differ in one value: the second less the first"
        yield from table(("first", "second", "difference", "p", "pairs"), [_pair_row(pair) for pair in pairs])


def reward_lines(results: Sequence[ConfigurationResults], rewards: Sequence[str]) -> list[str]:
    """Return the means of rewards by configuration, with intervals of 95% over instances."""
    names = list(results[0].configuration)
    rows = [
        (
            *(str(found.configuration[name]) for name in names),
            str(len(found.rewards)),
            *(_mean(found, reward) for reward in rewards),
        )
        for found in results
    ]
    return table((*names, "instances", *rewards), rows)


def _mean(results: ConfigurationResults, reward: str) -> str:
    interval = reward_interval(results, reward)
    return "-" if interval is None else in_words(interval)


def reward_interval(results: ConfigurationResults, reward: str) -> Interval | None:
    """Return the mean of a reward with its interval; None if no instance has it."""
    instances = results.instances_with(reward)
    return mean_interval(results.values(reward, instances), instances) if instances else None


def configuration_pairs(results: Sequence[ConfigurationResults], reward: str) -> list[ConfigurationPair]:
    """Return all pairs of configurations that differ in one value, by their common instances."""
    found = []
    for first, second in combinations(results, 2):
        common = [name for name in second.instances_with(reward) if name in first.instances_with(reward)]
        values = differing_values(first.configuration, second.configuration)
        if len(values) == 1 and common:
            difference = paired_difference(
                second.values(reward, common), first.values(reward, common), common
            )
            found.append((first.name, second.name, difference))
    ps = holm_p_values([difference.p for _, _, difference in found])
    return [ConfigurationPair(*pair, p) for pair, p in zip(found, ps, strict=True)]


def differing_values(first: Mapping[str, Value], second: Mapping[str, Value]) -> list[str]:
    """Return the names of the values in which two configurations differ."""
    return [name for name in sorted({*first, *second}) if first.get(name) != second.get(name)]


def _pair_row(pair: ConfigurationPair) -> tuple[str, ...]:
    difference = pair.difference
    return (
        pair.first, pair.second, in_words(difference.interval, sign="+"), p_in_words(pair.adjusted_p),
        str(difference.pairs),
    )  # fmt: skip


def difference_lines(differences: Sequence[RewardDifference]) -> list[str]:
    """Return the differences of two configurations as a table."""
    rows = [
        (
            difference.reward,
            number_in_words(difference.first),
            number_in_words(difference.second),
            in_words(difference.difference.interval, sign="+"),
            p_in_words(difference.adjusted_p),
            str(difference.difference.pairs),
            difference.verdict,
        )
        for difference in differences
    ]
    return table(("reward", "A", "B", "A - B", "p", "pairs", "verdict"), rows, text_last=True)


def in_words(interval: Interval, sign: str = "") -> str:
    """Return a value with its interval."""
    value, low, high = (
        number_in_words(number, sign) for number in (interval.value, interval.low, interval.high)
    )
    return f"{value} [{low}, {high}]"


def number_in_words(number: float, sign: str = "") -> str:
    """Return a number with two digits after the point, fewer if it is large."""
    digits = 2 if abs(number) < 10 else 1 if abs(number) < 100 else 0
    return f"{number:{sign},.{digits}f}"


def p_in_words(p: float) -> str:
    """Return a p value with three digits after the point."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"
