"""An experiment for tests, as a plugin contributes one: one effect, one patch and two rewards a trial."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec

from wardround.authoring.sequence import Settings
from wardround.authoring.stages import Patch, PatchedFile
from wardround_lab.experiments.lab_inputs import LabInputs


class SizedPatchOptions(msgspec.Struct, frozen=True):
    sizes: tuple[int, ...] = (1, 2)
    seconds: float = 0.0


class Size(msgspec.Struct, frozen=True):
    size: int = 1


DEFAULTS, FIRST = SizedPatchOptions(), Size()


class SizedPatch:
    """Appends comments to a file.

    Attributes:
        effects: the instances whose effect ran, in all experiments of this process.
        most_at_a_time: the largest number of trials under way.
    """

    options = SizedPatchOptions
    rewards = {"lines": True, "length": False}
    notes = ("nothing is measured",)
    model_endpoint = None
    effects: list[str] = []
    under_way = 0
    most_at_a_time = 0

    def __init__(
        self,
        inputs: LabInputs,
        options: SizedPatchOptions = DEFAULTS,
        configuration: Size = FIRST,
    ) -> None:
        self._inputs = inputs
        self._options = options
        self.configuration = configuration
        self.sequence_storage = inputs.storage

    async def hypers(self) -> AsyncIterator[Size]:
        for size in self._options.sizes:
            yield Size(size)

    def with_configuration(self, configuration: Size) -> SizedPatch:
        return SizedPatch(self._inputs, self._options, configuration)

    async def run(self, instance_id: str) -> Patch:
        async with self._inputs.trial(
            self.configuration, instance_id, lambda mined: mined.in_words, Settings()
        ) as trial:
            text = await trial.sequence.run("write", self.configuration.size, str, self._write)
            patch = Patch((PatchedFile("shop.py", text),), "sized", "more comments")
            trial.record_patches([patch])
            trial.record_selected(patch)
            trial.sequence.record_rewards(lines=float(self.configuration.size), length=float(len(text)))
        return patch

    async def _write(self) -> str:
        SizedPatch.under_way += 1
        SizedPatch.most_at_a_time = max(SizedPatch.most_at_a_time, SizedPatch.under_way)
        try:
            await asyncio.sleep(self._options.seconds)
        finally:
            SizedPatch.under_way -= 1
        SizedPatch.effects.append(f"size {self.configuration.size}")
        return "# a comment\n" * self.configuration.size
