"""Trials side by side: each runs once, whatever ends a run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.lab.experiments.shop_instances import NAME, mined_instances
from tests.lab.experiments.sized_patch import SizedPatch, SizedPatchOptions
from wardround.authoring.endpoint.opening import EndpointAccess
from wardround.authoring.stages import Patch
from wardround.errors import SandboxError
from wardround.host import PluginHost
from wardround_lab.experiments.instances.instance_set import InstanceSet
from wardround_lab.experiments.lab_inputs import LabInputs, now
from wardround_lab.experiments.running import run_experiment
from wardround_lab.experiments.storage.model import EntryKind, Run, SequenceQuery
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage
from wardround_lab.experiments.storage.sql import open_sql_storage


@pytest.fixture
def inputs(repo: GitRepository, tmp_path: Path) -> Iterator[LabInputs]:
    texts = tuple(f"Labels of items without a name, report {number}" for number in range(6))
    instances = InstanceSet(mined_instances(repo, texts), {NAME: repo.root})
    run = Run(
        id="sized-1", experiment="sized", created=now(), version="0", instances=instances.ids,
        instances_digest=instances.digest,
    )  # fmt: skip
    SizedPatch.effects.clear()
    SizedPatch.under_way = SizedPatch.most_at_a_time = 0
    with closing(open_sql_storage(tmp_path / "lab.sqlite")) as storage:
        storage.begin_run(run)
        host = PluginHost([], [])
        yield LabInputs(run, instances, storage, host, {}, EndpointAccess({}), os.environ, tmp_path)


def complete(storage: SequenceStorage) -> int:
    return len(list(storage.find(SequenceQuery(is_complete=True))))


def test_every_configuration_runs_at_every_instance_and_never_more_than_the_workers(
    inputs: LabInputs,
) -> None:
    experiment = SizedPatch(inputs, SizedPatchOptions((1, 2), 0.05))

    assert asyncio.run(run_experiment(experiment, inputs, 3)) == []

    assert complete(inputs.storage) == 12
    assert SizedPatch.most_at_a_time == 3
    (summary, *_) = inputs.storage.find(SequenceQuery(configuration={"size": 2}))
    assert summary.rewards == {"lines": 2.0, "length": 24.0}
    kinds = [entry.kind for entry in inputs.storage.entries(summary.header.id)]
    assert kinds == [
        EntryKind.MESSAGE, EntryKind.RESULT, EntryKind.PATCH, EntryKind.PATCH, EntryKind.REWARD,
        EntryKind.REWARD, EntryKind.OUTCOME,
    ]  # fmt: skip


def test_a_completed_run_does_nothing_when_it_runs_again(inputs: LabInputs) -> None:
    experiment = SizedPatch(inputs)
    asyncio.run(run_experiment(experiment, inputs, 2))
    before = len(SizedPatch.effects)

    asyncio.run(run_experiment(experiment, inputs, 2))

    assert len(SizedPatch.effects) == before == 12


class _Failing(SizedPatch):
    """Fails after its effect at one instance."""

    is_broken = True
    error: Exception = SandboxError("the sandbox is missing")

    def with_configuration(self, configuration: object) -> _Failing:
        return _Failing(self._inputs, self._options, configuration)  # type: ignore[arg-type]

    async def run(self, instance_id: str) -> Patch:
        patch = await super().run(instance_id) if instance_id != self._inputs.instances.ids[1] else None
        if patch is None and self.is_broken:
            raise self.error
        return patch or await super().run(instance_id)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (SandboxError("the sandbox is missing"), "the sandbox is missing"),
        (KeyError("no such value"), "KeyError: 'no such value'"),
    ],
)
def test_a_failure_ends_one_trial_and_is_run_again(
    inputs: LabInputs, error: Exception, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Failing, "error", error)
    monkeypatch.setattr(_Failing, "is_broken", True)
    failures = asyncio.run(run_experiment(_Failing(inputs), inputs, 2))

    assert [(failure.instance, failure.reason) for failure in failures] == [
        (inputs.instances.ids[1], reason)
    ] * 2
    assert complete(inputs.storage) == 10
    monkeypatch.setattr(_Failing, "is_broken", False)
    assert asyncio.run(run_experiment(_Failing(inputs), inputs, 2)) == []
    assert complete(inputs.storage) == 12
    assert len(SizedPatch.effects) == 12


class _Interrupted(SizedPatch):
    """Is interrupted after the effect of its fifth trial was recorded."""

    def with_configuration(self, configuration: object) -> _Interrupted:
        return _Interrupted(self._inputs, self._options, configuration)  # type: ignore[arg-type]

    async def _write(self) -> str:
        text = await super()._write()
        if len(SizedPatch.effects) == 5:
            asyncio.get_running_loop().call_soon(_cancel_all)
        return text


def _cancel_all() -> None:
    for task in asyncio.all_tasks():
        task.cancel()


def test_an_interrupted_run_continues_and_repeats_no_recorded_effect(inputs: LabInputs) -> None:
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run_experiment(_Interrupted(inputs), inputs, 2))
    recorded = complete(inputs.storage)
    assert recorded < 12

    assert asyncio.run(run_experiment(SizedPatch(inputs), inputs, 2)) == []

    assert complete(inputs.storage) == 12
    assert len(SizedPatch.effects) == 12
    for summary in inputs.storage.find(SequenceQuery()):
        entries = inputs.storage.entries(summary.header.id)
        assert len(entries) == 7, [entry.name for entry in entries]
