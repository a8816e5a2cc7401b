"""The experiment ``vote-or-ranking``: selections among the same candidate patches of each instance."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Annotated, Self

import msgspec

from wardround.authoring.run_inputs import RANKER, RunInputs
from wardround.authoring.selection.thread import select
from wardround.authoring.stages import Message, Patch
from wardround.errors import UsageError
from wardround_lab.experiments.built_in.contributed_names import require_contributed
from wardround_lab.experiments.candidate_pools import CandidatePool, CandidatePools, PoolSettings
from wardround_lab.experiments.experiment import NO_PATCH
from wardround_lab.experiments.lab_inputs import LabInputs, Trial
from wardround_lab.experiments.metered_effects import MeteredEffects
from wardround_lab.experiments.rewards import costs
from wardround_lab.experiments.rewards.selection import accuracy_by_chance, selection_accuracy

RANKING = "ranking"
_REASON = "selection"
"""The role of the message with the reason of a selection."""


class Options(msgspec.Struct, frozen=True):
    """The configurations, and the candidates that they all get.

    Attributes:
        selections: names of contributed selections.
        author: the author of the candidates: ``edits``, or ``samples`` with an endpoint.
        candidates: the most candidates of an instance.
        shown: failing tests of an instance that are shown; the others are hidden.
        seconds: CPU seconds of the author without a model.
    """

    selections: tuple[str, ...] = ("first", "vote", "score", RANKING)
    author: str = "edits"
    candidates: Annotated[int, msgspec.Meta(ge=2, le=50)] = 8
    shown: Annotated[int, msgspec.Meta(ge=1)] = 1
    seconds: Annotated[float, msgspec.Meta(ge=1)] = 12.0


class Configuration(msgspec.Struct, frozen=True):
    """One configuration."""

    selection: str


class VoteOrRanking:
    """Compares selections by the share of right patches among those that they select.

    Rewards, each of one instance:
        accuracy: 1 if the selected patch passes all hidden tests: all failing tests of the instance, and
            those that passed before. Only of instances with right and wrong candidates.
        chance: the accuracy of a random selection, of the same instances.
        strict: 1 if the selected patch also behaves as the answer; see ``behave_as_gold``. Only of instances
            with right and wrong candidates by this measure, if it is known for every candidate.
        strict_chance: the same of a random selection.
        accuracy_all, strict_all: the same of all instances with a candidate.
        candidates: their number.
        wall_s, cpu_s: the time of the effects of the selection, without the observation of the base; of a
            ranking no CPU time, and a latency that other trials at the same time make longer.

    Args:
        pools: the candidates, which all configurations share; None for new ones.

    Raises:
        UsageError: an option is not valid.
    """

    options = Options
    rewards = {
        "accuracy": True,
        "strict": True,
        "chance": True,
        "strict_chance": True,
        "accuracy_all": True,
        "strict_all": True,
        "candidates": True,
        **costs.DIRECTIONS,
    }

    def __init__(
        self,
        inputs: LabInputs,
        options: Options = Options(),  # noqa: B008  (immutable)
        configuration: Configuration | None = None,
        pools: CandidatePools | None = None,
    ) -> None:
        _require_valid(options, inputs)
        self._inputs = inputs
        self._options = options
        self._pool_settings = PoolSettings(options.author, options.candidates, options.shown, options.seconds)
        self._pools = pools or CandidatePools(inputs, self._pool_settings)
        self.sequence_storage = inputs.storage
        self.model_endpoint = inputs.endpoints.get(RANKER) if RANKING in options.selections else None
        self.configurations = [Configuration(name) for name in self._selections]
        self.configuration = configuration or self.configurations[0]

    @property
    def _selections(self) -> list[str]:
        names = self._options.selections
        return [name for name in names if name != RANKING or self.model_endpoint is not None]

    @property
    def notes(self) -> tuple[str, ...]:
        """The parts that are left out here, one sentence each."""
        return tuple(self._notes())

    def _notes(self) -> Iterator[str]:
        if RANKING not in self._options.selections:
            return
        if self.model_endpoint is None:
            yield f"ranking is left out: no endpoint has the role {RANKER}"
        elif self.model_endpoint.is_exchange:
            yield "ranking is by an exchange of files, so its time is not measured"

    async def hypers(self) -> AsyncIterator[Configuration]:
        """Yield the configurations."""
        for configuration in self.configurations:
            yield configuration

    def with_configuration(self, configuration: Configuration) -> Self:
        """Return the experiment with another configuration, and the same candidates."""
        return type(self)(self._inputs, self._options, configuration, self._pools)

    async def run(self, instance_id: str) -> Patch:
        """Select a candidate of one instance, and record the rewards; no patch without a candidate."""
        pool = await self._pools.pool(instance_id)
        settings = self._pool_settings
        async with self._inputs.trial(
            self.configuration, instance_id, settings.task, settings.settings
        ) as trial:
            trial.sequence.record_rewards(candidates=len(pool.patches))
            if not pool.patches:
                return NO_PATCH
            selected = await self._select(trial, pool)
            trial.record_selected(selected)
            trial.sequence.record_rewards(**dict(_rewards(pool, pool.patches.index(selected))))
        return selected

    async def _select(self, trial: Trial, pool: CandidatePool) -> Patch:
        effects = MeteredEffects(trial.sequence)
        inputs = trial.inputs.with_effects(effects, pool.observation)
        inputs.report.pointers = pool.pointers
        stage = await trial.selection(self.configuration.selection, inputs)
        selected = await select(stage, list(pool.patches), trial.instance_id)
        trial.sequence.record_messages(Message(_REASON, line) for line in inputs.report.selections)
        trial.sequence.record_rewards(**self._costs(inputs, effects))
        return selected

    def _costs(self, inputs: RunInputs, effects: MeteredEffects) -> dict[str, float]:
        """Return the costs of a selection: CPU time only of runs, and no time of reading files."""
        if self.configuration.selection != RANKING:
            return {"wall_s": effects.wall_s, "cpu_s": effects.cpu_s}
        found = costs.endpoint_costs(inputs.budget, self.model_endpoint)
        is_exchange = self.model_endpoint is not None and self.model_endpoint.is_exchange
        return found if is_exchange else {**found, "wall_s": effects.wall_s}


def _require_valid(options: Options, inputs: LabInputs) -> None:
    if not options.selections:
        raise UsageError("vote-or-ranking: selections needs at least one value")
    require_contributed("vote-or-ranking: selections", "wardround_selections", options.selections)
    require_contributed("vote-or-ranking: author", "wardround_authors", [options.author])
    if list(options.selections) == [RANKING] and RANKER not in inputs.endpoints:
        raise UsageError(
            f"vote-or-ranking: no endpoint has the role {RANKER}; configure it, or add a selection"
        )


def _rewards(pool: CandidatePool, selected: int) -> Iterator[tuple[str, float]]:
    """Yield the rewards of a selection, except for those that do not exist of the instance."""
    yield "accuracy_all", float(pool.passes[selected])
    yield from _informative("accuracy", "chance", pool.passes, selected)
    strict = [value for value in pool.behaves if value is not None]
    if len(strict) == len(pool.behaves):
        yield "strict_all", float(strict[selected])
        yield from _informative("strict", "strict_chance", strict, selected)


def _informative(
    name: str, chance: str, passes: Sequence[bool], selected: int
) -> Iterator[tuple[str, float]]:
    for reward, value in (
        (name, selection_accuracy(selected, passes)),
        (chance, accuracy_by_chance(passes)),
    ):
        if value is not None:
            yield reward, value
