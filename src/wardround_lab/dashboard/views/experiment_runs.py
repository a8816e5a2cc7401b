"""Runs of experiments: the list, and some of them side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from wardround.inference.metadata import Interval
from wardround_lab.experiments.comparison.results import ConfigurationResults, group_by_configuration
from wardround_lab.experiments.comparison.run_table import reward_interval
from wardround_lab.experiments.experiment_run import find_run
from wardround_lab.experiments.judging import JUDGE
from wardround_lab.experiments.lab_inputs import SHARED
from wardround_lab.experiments.storage.model import Run, SequenceQuery, SequenceSummary
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

RUN = "run"
"""The name of the value that a configuration gets where those of several runs are next to one another."""


class ShownRun(msgspec.Struct, frozen=True):
    """A run with the results of its completed trials.

    Attributes:
        incomplete: the number of trials without an outcome.
    """

    run: Run
    results: tuple[ConfigurationResults, ...]
    incomplete: int

    @property
    def completed(self) -> int:
        """The number of trials with an outcome."""
        return sum(len(results.rewards) for results in self.results)


class RewardRow(msgspec.Struct, frozen=True):
    """A configuration of a run: its values, and the means of its rewards with their intervals.

    Attributes:
        values: those of the configuration, in the order of the columns.
        rewards: in the order of the columns; None if no instance has it.
    """

    run: str
    values: tuple[str, ...]
    instances: int
    rewards: tuple[Interval | None, ...]


class RewardTable(msgspec.Struct, frozen=True):
    """The configurations of runs.

    Attributes:
        names: of the values that a configuration of any run has.
        rewards: of the measures that any run has.
        directions: reward -> True if more is better.
    """

    names: tuple[str, ...]
    rewards: tuple[str, ...]
    directions: Mapping[str, bool]
    rows: tuple[RewardRow, ...]


def shown_runs(storage: SequenceStorage, ids: Sequence[str]) -> list[ShownRun]:
    """Return some runs with their results.

    Raises:
        UsageError: one does not exist.
    """
    return [_shown_run(storage, find_run(storage, run)) for run in ids]


def _shown_run(storage: SequenceStorage, run: Run) -> ShownRun:
    trials = [summary for summary in storage.find(SequenceQuery(run=run.id)) if is_trial(summary)]
    complete = [summary for summary in trials if summary.outcome]
    return ShownRun(run, tuple(group_by_configuration(complete)), len(trials) - len(complete))


def is_trial(summary: SequenceSummary) -> bool:
    """Return True for a sequence of one configuration; others are shared, or have judgements."""
    return summary.outcome != SHARED and JUDGE not in summary.header.configuration


def options_in_words(run: Run) -> str:
    """Return the options and models of a run in one line."""
    options = run.settings.get("options", {})
    models = run.settings.get("models", {})
    pairs = {**_mapping(options), **{f"model of {role}": model for role, model in _mapping(models).items()}}
    return "; ".join(f"{name}: {_in_words(value)}" for name, value in pairs.items())


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _in_words(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None or value == "" else str(value)


def side_by_side(runs: Sequence[ShownRun]) -> list[ConfigurationResults]:
    """Return the results of runs; those of several runs have the run as their first value."""
    if len(runs) == 1:
        return list(runs[0].results)
    return [
        msgspec.structs.replace(results, configuration={RUN: run.run.id, **results.configuration})
        for run in runs
        for results in run.results
    ]


def reward_names(runs: Sequence[ShownRun]) -> tuple[str, ...]:
    """Return the measures of runs that any instance has, in the order in which the runs list them."""
    present = {name for run in runs for results in run.results for name in results.reward_names}
    listed = dict.fromkeys(name for run in runs for name in run.run.rewards)
    return tuple(name for name in listed if name in present)


def directions_of(runs: Sequence[ShownRun]) -> dict[str, bool]:
    """Return reward -> True if more is better."""
    return {name: is_more_better for run in runs for name, is_more_better in run.run.rewards.items()}


def reward_table(runs: Sequence[ShownRun]) -> RewardTable:
    """Return the means of all rewards with their intervals, for each configuration of some runs."""
    rewards = reward_names(runs)
    names = tuple(
        dict.fromkeys(name for run in runs for results in run.results for name in results.configuration)
    )
    rows = [
        RewardRow(
            run.run.id,
            tuple(str(results.configuration.get(name, "-")) for name in names),
            len(results.rewards),
            tuple(reward_interval(results, reward) for reward in rewards),
        )
        for run in runs
        for results in run.results
    ]
    return RewardTable(names, rewards, directions_of(runs), tuple(rows))


def have_other_instances(runs: Sequence[ShownRun]) -> bool:
    """Return True if runs have different instances, so that their means are of different tasks."""
    return len({run.run.instances_digest for run in runs}) > 1
