"""Running an experiment: all configurations at all instances, several at a time, each at most once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence

import msgspec

from wardround.errors import WardroundError
from wardround_lab.experiments.experiment import Experiment
from wardround_lab.experiments.lab_inputs import LabInputs, values_of
from wardround_lab.experiments.storage.model import SequenceQuery


class IncompleteTrial(msgspec.Struct, frozen=True):
    """A trial that ended with an error; it is run again when the run is resumed."""

    configuration: str
    instance: str
    reason: str


class _Task(msgspec.Struct, frozen=True):
    experiment: Experiment
    instance: str


class Shard(msgspec.Struct, frozen=True):
    """A part of the instances of a run, so that several processes or machines share it.

    Attributes:
        number: from 1 to the number of all shards.
    """

    number: int = 1
    of: int = 1

    def instances(self, ids: Sequence[str]) -> Sequence[str]:
        """Return the instances of this shard."""
        return ids[self.number - 1 :: self.of]


EVERYTHING = Shard()


async def run_experiment(
    experiment: Experiment,
    inputs: LabInputs,
    workers: int,
    progress: Callable[[str], None] = lambda text: None,
    shard: Shard = EVERYTHING,
) -> list[IncompleteTrial]:
    """Run all trials that have no outcome yet, and return those that ended with an error.

    Cancellation cancels all trials under way; what they recorded remains.

    Args:
        workers: the number of trials at a time.
    """
    tasks = await _open_tasks(experiment, inputs, shard)
    pending, failures = iter(tasks), list[IncompleteTrial]()
    state = _Progress(len(tasks), progress)
    async with asyncio.TaskGroup() as group:
        for _ in range(min(workers, len(tasks))):
            group.create_task(_work(pending, failures, state))
    return failures


async def _open_tasks(experiment: Experiment, inputs: LabInputs, shard: Shard) -> list[_Task]:
    """Return the trials without an outcome, those of one instance next to one another."""
    query = SequenceQuery(run=inputs.run.id, is_complete=True)
    complete = {summary.header.id for summary in inputs.storage.find(query)}
    configured = [experiment.with_configuration(values) async for values in experiment.hypers()]
    return [
        _Task(chosen, instance)
        for instance in shard.instances(inputs.instances.ids)
        for chosen in configured
        if inputs.header(chosen.configuration, instance).id not in complete
    ]


async def _work(pending: Iterator[_Task], failures: list[IncompleteTrial], state: _Progress) -> None:
    for task in pending:
        try:
            await task.experiment.run(task.instance)
        except WardroundError as cause:
            failures.append(_incomplete(task, str(cause)))
        except (Exception, SystemExit) as cause:  # noqa: BLE001  (contributed code; the others go on)
            failures.append(_incomplete(task, f"{type(cause).__name__}: {cause}"))
        state.advance()


def _incomplete(task: _Task, reason: str) -> IncompleteTrial:
    return IncompleteTrial(configuration_name(task.experiment.configuration), task.instance, reason)


class _Progress:
    def __init__(self, total: int, show: Callable[[str], None]) -> None:
        self._total = total
        self._done = 0
        self._show = show

    def advance(self) -> None:
        self._done += 1
        self._show(f"{self._done} of {self._total} trials")


def configuration_name(configuration: msgspec.Struct) -> str:
    """Return a configuration as a row of a table names it."""
    return ", ".join(f"{name} {value}" for name, value in values_of(configuration).items())
