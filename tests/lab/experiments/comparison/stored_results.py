"""Results of configurations for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wardround_lab.experiments.comparison.results import ConfigurationResults


def results(
    configuration: Mapping[str, str | int], rewards: Mapping[str, Sequence[float]], first: int = 0
) -> ConfigurationResults:
    """Return the results of instances that are numbered from ``first``."""
    size = max(map(len, rewards.values()))
    names = [f"instance-{number}" for number in range(first, first + size)]
    return ConfigurationResults(
        configuration,
        {
            name: {reward: values[at] for reward, values in rewards.items() if at < len(values)}
            for at, name in enumerate(names)
        },
        {name: f"owner/{at % 3}" for at, name in enumerate(names)},
    )
