"""The instances of runs, those at which the configurations differ most first, and one sequence to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from wardround.errors import UsageError
from wardround_lab.dashboard.views.experiment_runs import ShownRun, is_trial, side_by_side
from wardround_lab.dashboard.views.page_of_rows import RowPage, page_of_rows
from wardround_lab.experiments.comparison.results import ConfigurationResults, configuration_name
from wardround_lab.experiments.comparison.run_table import number_in_words
from wardround_lab.experiments.report.shown_sequence import ShownSequence, sequence_to_read
from wardround_lab.experiments.storage.model import SequenceQuery, SequenceSummary
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

PAGE = 25


class InstanceRow(msgspec.Struct, frozen=True):
    """An instance with one reward of each configuration.

    Attributes:
        spread: how much the reward differs between the configurations; None if less than two have it.
        values: in the order of the configurations; None where the trial has no such reward.
    """

    instance: str
    repository: str
    spread: float | None
    values: tuple[float | None, ...]

    def cells(self) -> tuple[str, ...]:
        """Return the values in words."""
        return tuple("-" if value is None else number_in_words(value) for value in self.values)


class SequenceChoice(msgspec.Struct, frozen=True):
    """A sequence of an instance.

    Attributes:
        outcome: empty if it is not complete.
    """

    id: str
    run: str
    configuration: str
    outcome: str


def instance_page(
    runs: Sequence[ShownRun], reward: str, text: str = "", number: int = 1
) -> RowPage[InstanceRow]:
    """Return a page of the instances of runs.

    Args:
        text: a part of the id or of the repository, in any case; empty for all instances.
    """
    results = side_by_side(runs)
    repositories = _repositories(results)
    wanted = text.strip().lower()
    rows = [
        _row(instance, repositories.get(instance, ""), results, reward)
        for instance in dict.fromkeys(instance for run in runs for instance in run.run.instances)
        if wanted in f"{instance} {repositories.get(instance, '')}".lower()
    ]
    rows.sort(key=lambda row: -1.0 if row.spread is None else row.spread, reverse=True)
    return page_of_rows(rows, number, PAGE)


def _repositories(results: Sequence[ConfigurationResults]) -> Mapping[str, str]:
    return {name: repository for found in results for name, repository in found.repositories.items()}


def _row(instance: str, repository: str, results: Sequence[ConfigurationResults], reward: str) -> InstanceRow:
    values = tuple(found.rewards.get(instance, {}).get(reward) for found in results)
    known = [value for value in values if value is not None]
    spread = max(known) - min(known) if len(known) > 1 else None
    return InstanceRow(instance, repository, spread, values)


def sequences_of(storage: SequenceStorage, runs: Sequence[str], instance: str) -> list[SequenceChoice]:
    """Return the trials of an instance, also those that are not complete."""
    return [
        SequenceChoice(
            summary.header.id, run, configuration_name(summary.header.configuration), summary.outcome
        )
        for run in runs
        for summary in storage.find(SequenceQuery(run=run, instance=instance))
        if is_trial(summary)
    ]


def read_sequence(storage: SequenceStorage, choice: SequenceChoice, instance: str) -> ShownSequence:
    """Return a sequence with its entries.

    Raises:
        UsageError: it does not exist.
    """
    return sequence_to_read(storage, _summary(storage, choice, instance))


def _summary(storage: SequenceStorage, choice: SequenceChoice, instance: str) -> SequenceSummary:
    for summary in storage.find(SequenceQuery(run=choice.run, instance=instance)):
        if summary.header.id == choice.id:
            return summary
    raise UsageError(f"sequence {choice.id} of instance {instance} does not exist; open another one")
