"""The begin and the continuation of a run of an experiment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from wardround import __version__
from wardround.authoring.endpoint.opening import EndpointAccess, open_endpoint
from wardround.config.language_model import EndpointSettings
from wardround.errors import UsageError
from wardround.host import PluginHost, load_entries, load_entry
from wardround.planes.language_model.endpoint import Endpoint
from wardround_lab.experiments.experiment import Experiment
from wardround_lab.experiments.instances.instance_set import InstanceSet
from wardround_lab.experiments.lab_file import LabFile, options_of
from wardround_lab.experiments.lab_inputs import LabInputs, now
from wardround_lab.experiments.running import EVERYTHING, IncompleteTrial, Shard, run_experiment
from wardround_lab.experiments.storage.model import Run
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

_HOOK = "wardround_experiments"
_NAMED = 5


class NoOptions(msgspec.Struct, frozen=True):
    """The options of an experiment without options."""


class RunRequest(msgspec.Struct, frozen=True, eq=False):
    """A requested run.

    Attributes:
        experiment: the name of a contributed experiment.
        assignments: options as text, which precede those of the file.
        resumed: id of a run to continue; empty for a new one.
        shard: the instances that this process runs.
        logs: the folder for the output of what runs.
    """

    experiment: str
    instances: InstanceSet
    storage: SequenceStorage
    host: PluginHost
    file: LabFile
    assignments: Sequence[str]
    access: EndpointAccess
    environ: Mapping[str, str]
    logs: Path
    resumed: str = ""
    shard: Shard = EVERYTHING

    @property
    def endpoints(self) -> dict[str, EndpointSettings]:
        """Role -> the settings of its endpoint."""
        return self.file.endpoints_of_roles(has_exchange=self.access.exchange is not None)


class OpenRun:
    """A run that was begun or is continued.

    Attributes:
        run: as it is stored.
        experiment: the experiment with its options.
    """

    def __init__(self, request: RunRequest) -> None:
        factory = experiment_factory(request.experiment)
        options = options_of(
            getattr(factory, "options", NoOptions),
            request.file.experiments.get(request.experiment, {}),
            request.assignments,
        )
        run = _resumed_run(request, options) if request.resumed else _new_run(request, options)
        opened: dict[EndpointSettings, Endpoint] = {}
        self._inputs = LabInputs(
            run,
            request.instances,
            request.storage,
            request.host,
            request.endpoints,
            msgspec.structs.replace(request.access, opened=opened),
            request.environ,
            request.logs,
        )
        self.experiment: Experiment = factory(self._inputs, options)
        self._opened = opened
        self._shard = request.shard
        self.run = msgspec.structs.replace(
            run, notes=self.experiment.notes, rewards=dict(self.experiment.rewards)
        )
        if not request.resumed:
            request.storage.begin_run(self.run)

    def run_trials(self, workers: int, progress: Callable[[str], None]) -> list[IncompleteTrial]:
        """Run all trials without an outcome; see ``run_experiment``."""
        return asyncio.run(self._run_trials(workers, progress))

    async def _run_trials(self, workers: int, progress: Callable[[str], None]) -> list[IncompleteTrial]:
        async with AsyncExitStack() as stack:
            for settings in set(self._inputs.endpoints.values()):
                if settings.needs_network:  # one client for all trials: its limit of requests is for all
                    opening = open_endpoint(settings, self._inputs.access)
                    self._opened[settings] = await stack.enter_async_context(opening)
            return await run_experiment(self.experiment, self._inputs, workers, progress, self._shard)


def experiment_factory(name: str) -> Callable[..., Experiment]:
    """Return the contributed factory of an experiment.

    Raises:
        UsageError: no plugin contributes one of this name.
    """
    try:
        factory: Callable[..., Experiment] = load_entry(_HOOK, name)
    except KeyError:
        known = ", ".join(sorted(load_entries(_HOOK)))
        raise UsageError(
            f"experiment {name!r} does not exist; choose from {known}, or install its plugin"
        ) from None
    return factory


def _new_run(request: RunRequest, options: msgspec.Struct) -> Run:
    """Return a run that is not stored yet, with the next free number of its experiment."""
    known = {run.id for run in request.storage.runs()}
    names = (f"{request.experiment}-{number}" for number in count(1))
    return Run(
        id=next(name for name in names if name not in known),
        experiment=request.experiment,
        created=now(),
        version=__version__,
        instances=request.instances.ids,
        instances_digest=request.instances.digest,
        settings=_settings(request, options),
    )


def _settings(request: RunRequest, options: msgspec.Struct) -> dict[str, Any]:
    models = {role: endpoint.model for role, endpoint in sorted(request.endpoints.items())}
    settings: dict[str, Any] = msgspec.to_builtins({"options": options, "models": models})
    return settings


def _resumed_run(request: RunRequest, options: msgspec.Struct) -> Run:
    """Return a stored run.

    Raises:
        UsageError: it does not exist, or has other instances or settings.
    """
    run = find_run(request.storage, request.resumed)
    expected = (request.experiment, request.instances.digest, _as_json(_settings(request, options)))
    present = (run.experiment, run.instances_digest, _as_json(run.settings))
    names = ("experiment", "instances", "options")
    differing = [name for name, value, other in zip(names, expected, present, strict=True) if value != other]
    if differing:
        raise UsageError(
            f"run {run.id} has other {' and '.join(differing)}; give the same, or begin a new run"
        )
    return run


def _as_json(settings: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(settings, order="deterministic")


def find_run(storage: SequenceStorage, run_id: str) -> Run:
    """Return a stored run.

    Raises:
        UsageError: there is none with this id; the message names the newest ones.
    """
    runs = storage.runs()
    for run in runs:
        if run.id == run_id:
            return run
    newest = ", ".join(run.id for run in runs[:_NAMED]) or "none"
    raise UsageError(f"run {run_id!r} does not exist; the newest runs are: {newest}")
