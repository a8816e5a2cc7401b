"""The candidate patches of instances with their correctness, once for all configurations of an experiment."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from wardround.authoring.instance import Instance
from wardround.authoring.repair.author import EditAuthor
from wardround.authoring.repair.model import Observation
from wardround.authoring.sequence import Settings
from wardround.authoring.stages import CodePointer, Patch, PatchGeneration
from wardround.authoring.steps.route import CONTEXT, EDITS, EXECUTED
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.lab_inputs import LabInputs, Trial
from wardround_lab.experiments.rewards.generation import passes_all
from wardround_lab.experiments.rewards.gold_behaviour import behave_as_gold
from wardround_lab.experiments.rewards.hidden_tests import hidden_outcomes

NAME = "candidates"
_MOST_IN_MEMORY = 32
"""Instances; others are read from the storage again."""


class PoolSettings(msgspec.Struct, frozen=True):
    """The generation of candidates.

    Attributes:
        author: the name of a contributed author.
        most: candidates of one instance.
        shown: failing tests that the author and the selections get; the others are hidden.
        seconds: CPU seconds of the author without a model.
    """

    author: str
    most: int
    shown: int
    seconds: float

    def task(self, mined: MinedInstance) -> Instance:
        """Return what stages get of an instance: its words, and its first failing tests."""
        return msgspec.structs.replace(mined.with_tests, failing_tests=mined.fail_to_pass[: self.shown])

    @property
    def settings(self) -> Settings:
        """The settings of the stages."""
        return Settings(seconds=self.seconds, samples=self.most)


class Proposals(msgspec.Struct, frozen=True):
    """The patches of an author with different texts, and the code of the task."""

    patches: tuple[Patch, ...]
    pointers: tuple[CodePointer, ...]


class CandidatePool(msgspec.Struct, frozen=True):
    """The candidates of one instance.

    Attributes:
        observation: the tests as they ran at the base.
        pointers: the code of the task.
        passes: for each candidate, True if it passes all hidden tests.
        behaves: for each candidate that passes them, True if it behaves as the answer; False for the others,
            None if that is not known.
    """

    patches: tuple[Patch, ...]
    observation: Observation
    pointers: tuple[CodePointer, ...]
    passes: tuple[bool, ...] = ()
    behaves: tuple[bool | None, ...] = ()


class CandidatePools:
    """Makes the pool of each instance once, whichever configuration needs it first."""

    def __init__(self, inputs: LabInputs, settings: PoolSettings) -> None:
        self._inputs = inputs
        self._settings = settings
        self._pools: dict[str, CandidatePool] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def pool(self, instance_id: str) -> CandidatePool:
        """Return the pool of an instance.

        Raises:
            WardroundError: the instance, the sandbox or an endpoint cannot be used.
        """
        async with self._locks[instance_id]:
            if instance_id not in self._pools:
                self._add(instance_id, await self._make(instance_id))
        return self._pools[instance_id]

    def _add(self, instance_id: str, pool: CandidatePool) -> None:
        while len(self._pools) >= _MOST_IN_MEMORY:
            self._pools.pop(next(iter(self._pools)))
        self._pools[instance_id] = pool

    async def _make(self, instance_id: str) -> CandidatePool:
        settings = self._settings
        async with self._inputs.common_trial(NAME, instance_id, settings.task, settings.settings) as trial:
            pool = await self._proposals(trial)
            trial.record_patches(pool.patches)
            passes = [await _passes_hidden(trial, patch) for patch in pool.patches]
            behaves = await _behaviour(trial, pool.patches, passes)
        return msgspec.structs.replace(pool, passes=tuple(passes), behaves=tuple(behaves))

    async def _proposals(self, trial: Trial) -> CandidatePool:
        """Return the candidates, without their correctness; a recorded list is not made again."""
        observation = await trial.inputs.failing_tests.observation()

        async def propose() -> Proposals:
            return await self._propose(trial)

        found = await trial.sequence.run(NAME, self._settings, Proposals, propose)
        return CandidatePool(found.patches, observation, found.pointers)

    async def _propose(self, trial: Trial) -> Proposals:
        localization = await trial.localization(EXECUTED if self._settings.author == EDITS else CONTEXT)
        author = await self._author(trial)
        patches, messages = await author.run(await localization.run(trial.instance_id), trial.instance_id)
        trial.sequence.record_messages(messages)
        first = {patch.files: patch for patch in reversed(patches)}  # of each text the first patch
        distinct = [patch for patch in patches if first[patch.files] is patch]
        return Proposals(tuple(distinct[: self._settings.most]), trial.inputs.report.pointers)

    async def _author(self, trial: Trial) -> PatchGeneration:
        if self._settings.author == EDITS:
            return EditAuthor(trial.inputs, self._settings.most)
        return await trial.author(self._settings.author)


async def _passes_hidden(trial: Trial, patch: Patch) -> bool:
    mined = trial.mined
    outcomes = await hidden_outcomes(trial.inputs.work, mined, patch)
    return passes_all(outcomes, (*mined.fail_to_pass, *mined.pass_to_pass))


async def _behaviour(trial: Trial, patches: Sequence[Patch], passes: Sequence[bool]) -> list[bool | None]:
    """Return whether patches behave as the answer; those that fail a hidden test do not."""
    passing = [patch for patch, is_passing in zip(patches, passes, strict=True) if is_passing]
    results = iter(await behave_as_gold(trial.inputs.work, passing, trial.gold))
    return [next(results) if is_passing else False for is_passing in passes]
