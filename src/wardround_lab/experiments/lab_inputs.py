"""The inputs of an experiment: instances, endpoints, and a storage; it opens one trial for each instance."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from wardround import __version__
from wardround.authoring.candidate import unified_diff
from wardround.authoring.endpoint.opening import EndpointAccess
from wardround.authoring.instance import Instance
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.sequence import Header, Settings
from wardround.authoring.stage_loading import contributed_stage
from wardround.authoring.stages import Localization, Message, Patch, PatchGeneration, Selection, Value
from wardround.authoring.steps.route import Route, StageNames
from wardround.authoring.work import Work
from wardround.config.language_model import EndpointSettings
from wardround.host import PluginHost
from wardround_lab.experiments.instances.commit_environment import environ_of
from wardround_lab.experiments.instances.gold import Gold, gold_of
from wardround_lab.experiments.instances.instance_packages import packages_of
from wardround_lab.experiments.instances.instance_set import InstanceSet
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.recorded_sequence import RecordedSequence
from wardround_lab.experiments.storage.model import Run, SequenceHeader
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

COMPLETED = "completed"
"""The outcome of a trial without an error."""
SHARED = "shared"
"""The outcome of a sequence that several configurations share, and the name by which its header has it."""
TASK = "task"
"""The role of the first message of a sequence: the words of the instance."""
DIFF = "diff"
"""The key of the unified diff in the metadata of a recorded patch."""


class Trial:
    """One configuration of an experiment at one instance.

    Attributes:
        mined: the instance with its answer, which no stage gets.
        inputs: those of the stages.
        sequence: the record of the trial.
    """

    def __init__(self, mined: MinedInstance, inputs: RunInputs, sequence: RecordedSequence) -> None:
        self.mined = mined
        self.inputs = inputs
        self.sequence = sequence

    @property
    def instance_id(self) -> str:
        """The id by which stages get the instance."""
        return self.inputs.work.instance.id

    @cached_property
    def gold(self) -> Gold:
        """The answer."""
        return gold_of(self.inputs.work.repository, self.mined)

    def record_patches(self, patches: Iterable[Patch]) -> None:
        """Append proposed patches, each with its diff in the metadata, so that people can read it."""
        self.sequence.record_patches(map(self._with_diff, patches))

    def record_selected(self, patch: Patch) -> None:
        """Append the selected patch, which people compare with those of other configurations."""
        self.sequence.record_selected(self._with_diff(patch))

    def _with_diff(self, patch: Patch) -> Patch:
        tree = self.inputs.work.repository.tree(self.inputs.work.instance.base)
        diff = unified_diff(tree, patch.files)
        return msgspec.structs.replace(patch, metadata={**patch.metadata, DIFF: diff})

    async def localization(self, name: str) -> Localization:
        """Return a contributed localization; see ``contributed_stage``."""
        stage: Localization = await contributed_stage("wardround_localizations", name, self.inputs)
        return stage

    async def author(self, name: str) -> PatchGeneration:
        """Return a contributed author; see ``contributed_stage``."""
        stage: PatchGeneration = await contributed_stage("wardround_authors", name, self.inputs)
        return stage

    async def selection(self, name: str, inputs: RunInputs | None = None) -> Selection:
        """Return a contributed selection; see ``contributed_stage``.

        Args:
            inputs: by default those of the trial.
        """
        stage: Selection = await contributed_stage("wardround_selections", name, inputs or self.inputs)
        return stage


class LabInputs(msgspec.Struct, frozen=True, eq=False):
    """The inputs of one run of an experiment.

    Attributes:
        endpoints: role -> the settings of its endpoint.
        environ: the caller's environment.
        logs: the folder for the output of what runs.
    """

    run: Run
    instances: InstanceSet
    storage: SequenceStorage
    host: PluginHost
    endpoints: Mapping[str, EndpointSettings]
    access: EndpointAccess
    environ: Mapping[str, str]
    logs: Path
    progress: Callable[[str], None] = lambda text: None

    def header(self, configuration: msgspec.Struct, instance_id: str) -> SequenceHeader:
        """Return the header of the sequence of a configuration at an instance."""
        return SequenceHeader(
            run=self.run.id,
            experiment=self.run.experiment,
            configuration=values_of(configuration),
            instance=instance_id,
            repository=self.instances[instance_id].repository,
            created=now(),
        )

    @asynccontextmanager
    async def trial(
        self,
        configuration: msgspec.Struct,
        instance_id: str,
        task: Callable[[MinedInstance], Instance],
        settings: Settings,
    ) -> AsyncIterator[Trial]:
        """Open a trial; its sequence is complete when it ends without an error.

        Args:
            task: what the stages get of the instance.

        Raises:
            UsageError: the clone of the instance lacks its commits.
        """
        header = self.header(configuration, instance_id)
        async with self._open_trial(header, task, settings) as trial:
            yield trial
        trial.sequence.end(COMPLETED)

    @asynccontextmanager
    async def common_trial(
        self, name: str, instance_id: str, task: Callable[[MinedInstance], Instance], settings: Settings
    ) -> AsyncIterator[Trial]:
        """Open what all configurations have in common at an instance, such as a list of patches.

        Its sequence is not that of a configuration. Opened again it returns recorded results. Only one
        coroutine at a time may open it.

        Args:
            name: a name for it in the experiment.
            task: what the stages get of the instance.

        Raises:
            UsageError: the clone of the instance lacks its commits.
        """
        header = msgspec.structs.replace(self.header(NoValues(), instance_id), configuration={SHARED: name})
        async with self._open_trial(header, task, settings) as trial:
            yield trial
        if not trial.sequence.outcome:
            trial.sequence.end(SHARED)

    @asynccontextmanager
    async def _open_trial(
        self, header: SequenceHeader, task: Callable[[MinedInstance], Instance], settings: Settings
    ) -> AsyncIterator[Trial]:
        mined = self.instances[header.instance]
        sequence = RecordedSequence.open(self.storage, header)
        with self.instances.open(header.instance) as repository:
            instance = task(mined)
            environ = environ_of(mined, self.environ)
            is_stored = environ != self.environ
            work = Work(
                repository,
                instance,
                settings,
                sequence,
                self.host,
                environ,
                self.logs,
                self.progress,
                None if is_stored else packages_of(repository, mined, environ, self.progress),
            )
            route = Route(StageNames(), "an experiment", self.endpoints)
            inputs = RunInputs(work, Header(instance, settings, route, __version__), self.access, "")
            sequence.record_messages([Message(TASK, instance.text)])
            async with inputs.opened:
                yield Trial(mined, inputs, sequence)


class NoValues(msgspec.Struct, frozen=True):
    """The configuration of what does not depend on one."""


def values_of(configuration: msgspec.Struct) -> dict[str, Value]:
    """Return the values of a configuration by name."""
    values: dict[str, Any] = msgspec.to_builtins(configuration)
    return values


def now() -> str:
    """Return the present time in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
