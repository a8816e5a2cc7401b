"""The rewards of a run by configuration and instance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from wardround.authoring.stages import Value
from wardround.errors import UsageError
from wardround_lab.experiments.lab_inputs import SHARED
from wardround_lab.experiments.storage.model import SequenceQuery, SequenceSummary
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

Rewards = Mapping[str, float]


class ConfigurationResults(msgspec.Struct, frozen=True):
    """The results of one configuration.

    Attributes:
        configuration: its values by name.
        rewards: instance -> its rewards.
        repositories: instance -> its repository.
    """

    configuration: Mapping[str, Value]
    rewards: Mapping[str, Rewards]
    repositories: Mapping[str, str]

    @property
    def name(self) -> str:
        """The configuration as a row of a table names it."""
        return configuration_name(self.configuration)

    @property
    def reward_names(self) -> tuple[str, ...]:
        """The names of its rewards, in the order of their first appearance."""
        return tuple(dict.fromkeys(name for rewards in self.rewards.values() for name in rewards))

    def values(self, reward: str, instances: Sequence[str]) -> list[float]:
        """Return a reward of some instances, in their order."""
        return [self.rewards[instance][reward] for instance in instances]

    def instances_with(self, reward: str) -> tuple[str, ...]:
        """Return the instances that have a reward."""
        return tuple(instance for instance, rewards in self.rewards.items() if reward in rewards)


def configuration_name(configuration: Mapping[str, Value]) -> str:
    """Return a configuration in words."""
    return ", ".join(f"{name} {value}" for name, value in configuration.items()) or "default"


def results_of(storage: SequenceStorage, run: str) -> list[ConfigurationResults]:
    """Return the results of the complete sequences of a run, in the order of their values.

    Raises:
        UsageError: there is none.
    """
    found = completed_results(storage, run)
    if not found:
        raise UsageError(f"run {run} has no completed trial; continue it with lab run --resume {run}")
    return found


def completed_results(storage: SequenceStorage, run: str) -> list[ConfigurationResults]:
    """Return the results of the complete sequences of a run; none if there are none."""
    complete = storage.find(SequenceQuery(run=run, is_complete=True))
    return group_by_configuration(summary for summary in complete if summary.outcome != SHARED)


def group_by_configuration(summaries: Iterable[SequenceSummary]) -> list[ConfigurationResults]:
    """Return the results of sequences by their configurations, in the order of their values."""
    groups: dict[bytes, list[SequenceSummary]] = {}
    for summary in summaries:
        key = msgspec.json.encode(summary.header.configuration, order="deterministic")
        groups.setdefault(key, []).append(summary)
    found = [
        ConfigurationResults(
            group[0].header.configuration,
            {summary.header.instance: summary.rewards for summary in group},
            {summary.header.instance: summary.header.repository for summary in group},
        )
        for group in groups.values()
    ]
    return sorted(found, key=lambda results: list(map(_order, results.configuration.values())))


def _order(value: Value) -> tuple[float, str]:
    """Return the place of a value: numbers by their size, before texts."""
    return (math.inf, str(value)) if isinstance(value, str) or value is None else (float(value), "")
