"""The page of a run as one HTML document without references to other files."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import msgspec

from wardround_lab.experiments.comparison.plots import draw_reward
from wardround_lab.experiments.comparison.results import ConfigurationResults, results_of
from wardround_lab.experiments.comparison.run_table import (
    configuration_pairs,
    in_words,
    p_in_words,
    reward_interval,
)
from wardround_lab.experiments.report.shown_sequence import ShownInstance, shown_instances
from wardround_lab.experiments.storage.model import Run
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

_TEMPLATE = "page.html"
_DECLARATION_END = "?>"


class ShownTable(msgspec.Struct, frozen=True):
    """A table of the page."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def page_of(storage: SequenceStorage, run: Run, most_instances: int) -> str:
    """Return the page of a run.

    Raises:
        UsageError: the run has no completed trial.
        TrainingError: matplotlib is missing.
    """
    results = results_of(storage, run.id)
    rewards = [reward for reward in run.rewards if any(found.instances_with(reward) for found in results)]
    instances = shown_instances(storage, run.id, rewards[0], most_instances)
    return _render(run, results, rewards, instances)


def _render(
    run: Run,
    results: Sequence[ConfigurationResults],
    rewards: Sequence[str],
    instances: Sequence[ShownInstance],
) -> str:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = resources.files(__package__).joinpath(_TEMPLATE).read_text("utf-8")
    return environment.from_string(template).render(
        run=run,
        options=msgspec.json.format(msgspec.json.encode(run.settings), indent=2).decode(),
        rewards=_rewards_table(results, rewards),
        pairs=_pairs_table(results, rewards[0]),
        repositories=_repositories_table(results, rewards[0]),
        plots=[(reward, _plot(results, reward)) for reward in rewards],
        instances=instances,
    )


def _rewards_table(results: Sequence[ConfigurationResults], rewards: Sequence[str]) -> ShownTable:
    rows = [
        (found.name, str(len(found.rewards)), *(_cell(found, reward) for reward in rewards))
        for found in results
    ]
    return ShownTable(("configuration", "instances", *rewards), tuple(rows))


def _cell(results: ConfigurationResults, reward: str) -> str:
    interval = reward_interval(results, reward)
    return "-" if interval is None else in_words(interval)


def _pairs_table(results: Sequence[ConfigurationResults], reward: str) -> ShownTable:
    rows = [
        (pair.first, pair.second, in_words(pair.difference.interval, "+"), p_in_words(pair.adjusted_p))
        for pair in configuration_pairs(results, reward)
    ]
    return ShownTable(("first", "second", "second less the first", "p"), tuple(rows))


def _repositories_table(results: Sequence[ConfigurationResults], reward: str) -> ShownTable:
    names = sorted({name for found in results for name in found.repositories.values()})
    rows = [(name, *(_mean_of(found, reward, name) for found in results)) for name in names]
    return ShownTable(("repository", *(found.name for found in results)), tuple(rows))


def _mean_of(results: ConfigurationResults, reward: str, repository: str) -> str:
    own = [name for name in results.instances_with(reward) if results.repositories[name] == repository]
    values = results.values(reward, own)
    return f"{sum(values) / len(values):.2f} ({len(values)})" if values else "-"


def _plot(results: Sequence[ConfigurationResults], reward: str) -> str:
    """Return a plot as an element of the page."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plot.svg"
        draw_reward(path, results, reward)
        text = path.read_text("utf-8")
    return text[text.index("<svg") :]
