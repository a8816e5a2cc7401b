"""The experiment on localizations: words, embeddings and their fusion, by the gold lines in equal tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import product
from typing import Self

import msgspec

from wardround.authoring.context.assembly import repository_tokens, text_tokens
from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.localization import with_text
from wardround.authoring.instance import Instance
from wardround.authoring.run_inputs import AUTHOR
from wardround.authoring.sequence import Settings
from wardround.authoring.stages import LocalizationResult, Patch
from wardround.authoring.steps.route import CONTEXT, EXECUTED, HIERARCHICAL
from wardround.errors import UsageError
from wardround_lab.experiments.built_in.contributed_names import require_contributed
from wardround_lab.experiments.experiment import NO_PATCH
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.lab_inputs import LabInputs, Trial
from wardround_lab.experiments.rewards import costs, localization

_LEAST_TOKENS = 500


class Options(msgspec.Struct, frozen=True):
    """The configurations: each localization with each limit of tokens.

    Attributes:
        localizations: names of contributed localizations.
        with_tests: those of them that get the failing tests; the others get the words alone.
    """

    localizations: tuple[str, ...] = ("words", "embeddings", "fusion", HIERARCHICAL)
    tokens: tuple[int, ...] = (4000, 8000)
    with_tests: tuple[str, ...] = (EXECUTED, CONTEXT)


class Configuration(msgspec.Struct, frozen=True):
    """One configuration."""

    localization: str
    tokens: int


class HybridLocalization:
    """Compares localizations on the lines that the answers of instances change.

    Args:
        configuration: the present one; None for the first one of the options.

    Raises:
        UsageError: an option is not valid.
    """

    options = Options
    rewards = {**localization.DIRECTIONS, "cpu_s": False}

    def __init__(
        self,
        inputs: LabInputs,
        options: Options = Options(),  # noqa: B008  (immutable)
        configuration: Configuration | None = None,
    ) -> None:
        _require_valid(options)
        self._inputs = inputs
        self._options = options
        self.sequence_storage = inputs.storage
        self.model_endpoint = inputs.endpoints.get(AUTHOR) if HIERARCHICAL in options.localizations else None
        self.configurations = [
            Configuration(name, tokens) for name, tokens in product(self._localizations, options.tokens)
        ]
        if not self.configurations:
            raise UsageError(f"hybrid-localization: {HIERARCHICAL} needs an endpoint with the role author")
        self.configuration = configuration or self.configurations[0]

    @property
    def _localizations(self) -> list[str]:
        names = self._options.localizations
        return [name for name in names if name != HIERARCHICAL or self.model_endpoint is not None]

    @property
    def notes(self) -> tuple[str, ...]:
        """The configurations that are left out here, with the reason."""
        if HIERARCHICAL in self._options.localizations and self.model_endpoint is None:
            return ("hierarchical is left out: no endpoint has the role author",)
        return ()

    async def hypers(self) -> AsyncIterator[Configuration]:
        """Yield the configurations."""
        for configuration in self.configurations:
            yield configuration

    def with_configuration(self, configuration: Configuration) -> Self:
        """Return the experiment with another configuration."""
        return type(self)(self._inputs, self._options, configuration)

    async def run(self, instance_id: str) -> Patch:
        """Localize one instance and record the rewards; the patch is empty."""
        present = self.configuration
        settings = Settings(tokens=present.tokens)
        async with self._inputs.trial(present, instance_id, self.task_of, settings) as trial:
            stage = await trial.localization(present.localization)
            result = await stage.run(trial.instance_id)
            trial.sequence.record_rewards(**self._rewards(trial, result))
        return NO_PATCH

    def task_of(self, mined: MinedInstance) -> Instance:
        """Return what the present localization gets of an instance."""
        has_tests = self.configuration.localization in self._options.with_tests
        return mined.with_tests if has_tests else mined.in_words

    def _rewards(self, trial: Trial, result: LocalizationResult) -> dict[str, float]:
        gold = localization.code_lines(trial.gold.lines)
        return dict(_gold_rewards(trial, result, gold)) | self._costs(trial, result)

    def _costs(self, trial: Trial, result: LocalizationResult) -> dict[str, float]:
        is_asked = self.configuration.localization == HIERARCHICAL
        found = costs.endpoint_costs(trial.inputs.budget, self.model_endpoint if is_asked else None)
        seconds = result.metadata.get("cpu_s")
        return found | ({"cpu_s": seconds} if isinstance(seconds, float) else {})


def _require_valid(options: Options) -> None:
    if not (options.localizations and options.tokens):
        raise UsageError("hybrid-localization: localizations and tokens need at least one value each")
    require_contributed(
        "hybrid-localization: localizations", "wardround_localizations", options.localizations
    )
    if min(options.tokens) < _LEAST_TOKENS:
        raise UsageError(f"hybrid-localization: tokens: give at least {_LEAST_TOKENS}")


def _gold_rewards(
    trial: Trial, result: LocalizationResult, gold: localization.Lines
) -> Iterator[tuple[str, float]]:
    """Yield the rewards; none if the answer changes no line of a source file, as one that adds files."""
    if not gold:
        return
    work = trial.inputs.work
    repository, base = work.repository, work.instance.base
    ready = with_text(repository, base, result, work.settings.tokens)
    context = trial.inputs.report.context
    tokens = repository_tokens(BaseTree(repository, base)) if context is None else context.tokens.repository
    yield from localization.localization_rewards(ready, gold, tokens, text_tokens(ready.text)).items()
