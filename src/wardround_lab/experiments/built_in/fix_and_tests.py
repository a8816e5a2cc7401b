"""The experiment on fixes and tests: requested in one answer, or in two conversations apart."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from itertools import product
from typing import Self

import msgspec

from wardround.authoring.candidate import UnusablePatch
from wardround.authoring.context.assembly import text_tokens
from wardround.authoring.instance import Instance
from wardround.authoring.run_inputs import AUTHOR
from wardround.authoring.sequence import Settings
from wardround.authoring.stages import Message, Patch
from wardround.authoring.steps.route import CONTEXT
from wardround.errors import UsageError
from wardround.host import load_entries
from wardround_lab.experiments.experiment import NO_PATCH
from wardround_lab.experiments.instances.answer_files import is_answer_file
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.lab_inputs import LabInputs, Trial
from wardround_lab.experiments.rewards import costs, proposed_tests
from wardround_lab.experiments.rewards.generation import edit_similarity, passed_share
from wardround_lab.experiments.rewards.hidden_tests import hidden_outcomes

_LEAST_TOKENS = 500


class Options(msgspec.Struct, frozen=True):
    """The configurations: each author with each limit of tokens.

    Attributes:
        authors: names of contributed authors that propose tests with a patch.
        localization: the name of a contributed localization.
        tokens: of the context.
    """

    authors: tuple[str, ...] = ("fix-with-tests", "fix-and-tests")
    localization: str = CONTEXT
    tokens: tuple[int, ...] = (8000,)


class Configuration(msgspec.Struct, frozen=True):
    """One configuration."""

    author: str
    tokens: int


class FixAndTests:
    """Compares authors of fixes and tests; all of them get the task in words, and no test of the answer.

    Args:
        configuration: the present one; None for the first one of the options.

    Raises:
        UsageError: an option is not valid.
    """

    options = Options
    rewards = {
        "solved": True,
        "has_valid_test": True,
        "gold_coverage": True,
        "edit_similarity": True,
        "fail_to_pass": True,
        "pass_to_pass": True,
        "valid_tests": True,
        "tokens": False,
        "wall_s": False,
        **{name: False for name in costs.DIRECTIONS if name not in ("cpu_s", "wall_s")},
    }

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
        self.model_endpoint = inputs.endpoints.get(AUTHOR)
        self.configurations = [
            Configuration(author, tokens) for author, tokens in product(options.authors, options.tokens)
        ]
        self.configuration = configuration or self.configurations[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """The parts that the experiment leaves out here."""
        if self.model_endpoint is None:
            return ("nothing is run: no endpoint has the role author; configure one, or give --exchange",)
        if self.model_endpoint.is_exchange:
            return ("an exchange of files counts no tokens and no seconds; tokens are those of the messages",)
        return ()

    async def hypers(self) -> AsyncIterator[Configuration]:
        """Yield the configurations; none without an endpoint."""
        for configuration in self.configurations if self.model_endpoint is not None else []:
            yield configuration

    def with_configuration(self, configuration: Configuration) -> Self:
        """Return the experiment with another configuration."""
        return type(self)(self._inputs, self._options, configuration)

    async def run(self, instance_id: str) -> Patch:
        """Generate a fix and tests for one instance, and record the rewards."""
        present = self.configuration
        settings = Settings(tokens=present.tokens)
        async with self._inputs.trial(present, instance_id, _in_words, settings) as trial:
            localization = await trial.localization(self._options.localization)
            found = await localization.run(trial.instance_id)
            author = await trial.author(present.author)
            begun = time.monotonic()
            patches, messages = await author.run(found, trial.instance_id)
            seconds = time.monotonic() - begun
            trial.sequence.record_messages(messages)
            trial.record_patches(patches)
            patch = patches[0] if patches else NO_PATCH
            trial.record_selected(patch)
            trial.sequence.record_rewards(**await _patch_rewards(trial, patch))
            trial.sequence.record_rewards(**await _test_rewards(trial))
            trial.sequence.record_rewards(**self._costs(trial, messages, seconds))
        return patch

    def _costs(self, trial: Trial, messages: Sequence[Message], seconds: float) -> dict[str, float]:
        tokens = float(sum(text_tokens(message.content) for message in messages))
        if self.model_endpoint is None or self.model_endpoint.is_exchange:
            return {"tokens": tokens}
        found = costs.endpoint_costs(trial.inputs.budget, self.model_endpoint)
        return {"tokens": tokens, "wall_s": round(seconds, 2), **found}


def _in_words(mined: MinedInstance) -> Instance:
    return mined.in_words


async def _patch_rewards(trial: Trial, patch: Patch) -> dict[str, float]:
    work, similarity = trial.inputs.work, {"edit_similarity": _similarity(trial, patch)}
    try:
        outcomes = await hidden_outcomes(work, trial.mined, patch)
    except UnusablePatch:
        return {"solved": 0.0, "fail_to_pass": 0.0, **similarity}
    repaired = passed_share(outcomes, trial.mined.fail_to_pass)
    unbroken = passed_share(outcomes, trial.mined.pass_to_pass)
    solved = float(repaired == unbroken == 1.0)
    return {"solved": solved, "fail_to_pass": repaired, "pass_to_pass": unbroken, **similarity}


def _similarity(trial: Trial, patch: Patch) -> float:
    """Return the similarity of the edits of files that an answer can have."""
    edits = [file for file in patch.files if is_answer_file(file.path)]
    answer = trial.gold.files
    texts = {file.path: trial.inputs.read(file.path) for file in (*edits, *answer)}
    base = {path: text for path, text in texts.items() if text is not None}
    return edit_similarity(edits, answer, base)


async def _test_rewards(trial: Trial) -> dict[str, float]:
    proposals = trial.inputs.report.proposed_tests
    return await proposed_tests.proposed_test_rewards(trial.inputs.work, trial.gold, proposals)


def _require_valid(options: Options) -> None:
    if not (options.authors and options.tokens):
        raise UsageError("fix-and-tests: authors and tokens need at least one value each")
    _require_known("authors", "wardround_authors", options.authors)
    _require_known("localization", "wardround_localizations", (options.localization,))
    if min(options.tokens) < _LEAST_TOKENS:
        raise UsageError(f"fix-and-tests: tokens: give at least {_LEAST_TOKENS}")


def _require_known(option: str, hook: str, names: Sequence[str]) -> None:
    known = load_entries(hook)
    for name in names:
        if name not in known:
            raise UsageError(f"fix-and-tests: {option}: {name!r} is none of {', '.join(sorted(known))}")
