"""``wardround lab compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.lab.sequence_options import open_named_storage, storage_option
from wardround.cli.run import emit_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround_lab.experiments.comparison.results import ConfigurationResults
    from wardround_lab.experiments.storage.model import Run
    from wardround_lab.experiments.storage.sequence_storage import SequenceStorage


@click.command("compare")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--by-repository", is_flag=True, help="Resample repositories instead of instances.")
@storage_option
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Folder for the table and the plot (default: none are written).",
)  # fmt: skip
def command(first: str, second: str, *, by_repository: bool, storage_name: str, out: Path | None) -> None:
    """Compare two configurations on their common instances: which is better, and how certain that is.

    A and B are RUN, or RUN:NAME=VALUE,NAME=VALUE for one configuration of a run with several. Differences of
    means have an interval of 95% by bootstrap, and the p value of a paired permutation test, adjusted for
    the number of rewards.
    """
    from wardround_lab.training.dependencies import COMPARING, require_extra

    require_extra(COMPARING, "wardround[lab]")
    from wardround_lab.experiments.comparison.reward_differences import reward_differences
    from wardround_lab.experiments.comparison.run_files import write_comparison
    from wardround_lab.experiments.comparison.run_table import difference_lines

    with open_named_storage(storage_name, create=False) as storage:
        run, results = _configuration(storage, first)
        other_run, others = _configuration(storage, second)
    directions = {**other_run.rewards, **run.rewards}
    differences = reward_differences(results, others, directions, by_repository=by_repository)
    lines = [
        f"A: {run.id}: {results.name}",
        f"B: {other_run.id}: {others.name}",
        *difference_lines(differences),
    ]
    if run.instances_digest != other_run.instances_digest:
        lines.append("note: the runs have other instances; only those in both are compared")
    for line in lines:
        emit_line(line)
    if out is not None:
        write_comparison(out, lines, differences)


def _configuration(storage: SequenceStorage, selector: str) -> tuple[Run, ConfigurationResults]:
    """Return the run and the results that a selector denotes.

    Raises:
        UsageError: it denotes none, or several.
    """
    from wardround_lab.experiments.comparison.results import results_of
    from wardround_lab.experiments.experiment_run import find_run

    name, _, text = selector.partition(":")
    run = find_run(storage, name)
    expected = dict(_parse(value, selector) for value in filter(None, text.split(",")))
    results = results_of(storage, name)
    found = [configuration for configuration in results if _has_values(configuration, expected)]
    if len(found) != 1:
        known = "; ".join(configuration.name for configuration in (found or results))
        reason = "several configurations" if found else "no configuration"
        raise UsageError(f"{selector} denotes {reason}; add NAME=VALUE after a colon; there are: {known}")
    return run, found[0]


def _parse(assignment: str, selector: str) -> tuple[str, str]:
    name, equals, value = assignment.partition("=")
    if not equals:
        raise UsageError(f"{selector}: write RUN:NAME=VALUE,NAME=VALUE")
    return name, value


def _has_values(results: ConfigurationResults, expected: dict[str, str]) -> bool:
    return all(str(results.configuration.get(name)) == value for name, value in expected.items())
