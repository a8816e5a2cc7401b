"""The files of a run: its table as text, and one plot for each reward."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wardround.errors import UsageError
from wardround_lab.experiments.comparison.plots import draw_differences, draw_reward
from wardround_lab.experiments.comparison.results import ConfigurationResults
from wardround_lab.experiments.comparison.reward_differences import RewardDifference
from wardround_lab.experiments.comparison.run_table import run_lines
from wardround_lab.experiments.storage.model import Run

TABLE = "table.txt"


def write_run(folder: Path, run: Run, results: Sequence[ConfigurationResults]) -> list[str]:
    """Write the table and the plots of a run, and return the lines of the table.

    Raises:
        UsageError: a file cannot be written.
        TrainingError: matplotlib is missing.
    """
    rewards = [reward for reward in run.rewards if any(found.instances_with(reward) for found in results)]
    lines = list(run_lines(results, rewards))
    _write(folder, TABLE, "\n".join((run.id, *run.notes, *lines)) + "\n")
    for reward in rewards:
        draw_reward(folder / f"{_file_name(reward)}.svg", results, reward)
    return lines


def write_comparison(folder: Path, lines: Sequence[str], differences: Sequence[RewardDifference]) -> None:
    """Write the table and the plot of a comparison; see ``write_run``."""
    _write(folder, TABLE, "\n".join(lines) + "\n")
    draw_differences(folder / "differences.svg", differences, "Differences of rewards")


def _file_name(reward: str) -> str:
    return "".join(character if character.isalnum() else "-" for character in reward)


def _write(folder: Path, name: str, text: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    except OSError as cause:
        raise UsageError(f"{folder / name}: {cause.strerror}; give another folder with --out") from cause
