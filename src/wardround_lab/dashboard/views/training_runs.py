"""The trainings below a folder: their state, their log and their curves, from their run directories."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import msgspec

from wardround.errors import TrainingError, UsageError
from wardround.inference.locations import METADATA_FILE
from wardround_lab.dashboard.process_record import LOG_FILE, PROCESS_FILE, TrainingProcess, read_process
from wardround_lab.training.recipe import read_yaml
from wardround_lab.training.run_directory import (
    CHECKPOINT_FILE,
    MODEL_FOLDER,
    RECIPE_FILE,
    STEPS_FILE,
    TrainingStep,
    read_steps,
)

RunState = Literal["running", "ended", "interrupted", "failed", "unknown"]
_MARKS = (PROCESS_FILE, STEPS_FILE, CHECKPOINT_FILE)
_RESULTS = "*run.json"
"""The record of a finished training of any kind."""
_DEEPEST = 3
"""Levels of folders that are searched: a build of a recipe has a folder with one run for each seed."""
_MOST_RUNS = 200
_LOG_BYTES = 64 * 1024
_LOG_LINES = 200
_LAST_LINES = 3
_MOST_POINTS = 200
_INTERRUPTS = frozenset({-2, -15, -1, 130, 143, 129})
"""Exit statuses after SIGINT, SIGTERM and SIGHUP, with and without a handler."""
_KILLED = -9


class TrainingState(msgspec.Struct, frozen=True):
    """The state of a training, with its reason in one sentence."""

    name: RunState
    reason: str


class TrainingRow(msgspec.Struct, frozen=True, kw_only=True):
    """A training.

    Attributes:
        name: its run directory, relative to that of the trainings.
        steps: number of completed steps; ``planned``: as in its recipe, None if unknown.
        metric: the best validation metric; None without one.
        since: time of its start if that is recorded, else of the last change of its files, in UTC.
        can_resume: it was started from a page, and is neither running nor complete.
    """

    name: str
    state: TrainingState
    steps: int
    planned: int | None
    loss: float | None
    metric: float | None
    seconds: float
    since: str
    can_resume: bool


class Curve(msgspec.Struct, frozen=True):
    """A value over the steps of a training."""

    label: str
    unit: str
    points: tuple[tuple[int, float], ...]


def training_rows(training: Path) -> list[TrainingRow]:
    """Return the trainings, those that are running and then the newest first; at most 200."""
    rows = [training_row(training, folder) for folder in run_folders(training)]
    return sorted(rows, key=lambda row: (row.state.name == "running", row.since), reverse=True)


def run_named(training: Path, name: str) -> Path:
    """Return the run directory of a name in the list.

    Raises:
        UsageError: there is none.
    """
    root, folder = training.resolve(), (training / name).resolve()
    if folder == root or not folder.is_relative_to(root) or not _is_run(folder):
        raise UsageError(f"{name!r}: no training in {training}; choose one of the list")
    return training / folder.relative_to(root)


def state_of(training: Path, name: str) -> str:
    """Return a text that changes with a run, or without a name with the list of runs.

    Of a run that is not open only its state counts, so that a list does not change with each step.

    Raises:
        UsageError: the name is not that of a run.
    """
    if name:
        folder = run_named(training, name)
        row = training_row(training, folder)
        return f"{row.state.name} {row.steps} {_size(folder / LOG_FILE)}"
    return " ".join(f"{row.name}:{row.state.name}" for row in training_rows(training))


def training_row(training: Path, folder: Path) -> TrainingRow:
    """Return the row of a training."""
    process, steps = read_process(folder), _steps(folder)
    state = _state(folder, process)
    measured = [step.mrr for step in steps if step.mrr is not None]
    return TrainingRow(
        name=folder.relative_to(training).as_posix(),
        state=state,
        steps=steps[-1].step if steps else 0,
        planned=_planned_steps(folder),
        loss=steps[-1].loss if steps else None,
        metric=max(measured, default=None),
        seconds=steps[-1].seconds if steps else 0.0,
        since=process.began if process is not None else _last_change(folder),
        can_resume=process is not None and state.name in ("interrupted", "failed"),
    )


def curves(folder: Path) -> list[Curve]:
    """Return the loss and, if it was measured, the validation metric of a training, thinned evenly."""
    steps = _steps(folder)
    thinned = [*steps[:: max(1, len(steps) // _MOST_POINTS)], *steps[-1:]]
    losses = {step.step: step.loss for step in thinned}
    measured = tuple((step.step, step.mrr) for step in steps if step.mrr is not None)
    found = [Curve("training loss", "nats", tuple(losses.items()))] if losses else []
    return [*found, Curve("validation metric", "0 to 1", measured)] if measured else found


def log_lines(folder: Path) -> list[str]:
    """Return the last lines of the log of a training; none without one."""
    try:
        with (folder / LOG_FILE).open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - _LOG_BYTES))
            text = stream.read(_LOG_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    return [line.rpartition("\r")[2] for line in text.splitlines()][-_LOG_LINES:]


def run_folders(training: Path) -> list[Path]:
    """Return the run directories below a folder, by name; at most 200."""
    return list(islice(_runs_below(training, 1), _MOST_RUNS))


def _runs_below(folder: Path, depth: int) -> Iterator[Path]:
    try:
        below = sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return
    for path in below:
        if _is_run(path):
            yield path
        elif depth < _DEEPEST:
            yield from _runs_below(path, depth + 1)


def _is_run(folder: Path) -> bool:
    marks = any((folder / name).is_file() for name in _MARKS)
    return marks or _is_complete(folder)


def _is_complete(folder: Path) -> bool:
    has_model = (folder / MODEL_FOLDER / METADATA_FILE).is_file()
    return has_model or next(folder.glob(_RESULTS), None) is not None


def _state(folder: Path, process: TrainingProcess | None) -> TrainingState:
    if process is None:
        return _state_of_command(folder)
    if process.is_running:
        return TrainingState(
            "running", f"process {process.supervisor.number}, since {_moment(process.began)}"
        )
    if process.status is None and _is_complete(folder):
        return TrainingState("ended", "its result is written")
    return _state_after(folder, process)


def _state_of_command(folder: Path) -> TrainingState:
    """Return the state of a training that was started from a terminal."""
    if _is_complete(folder):
        return TrainingState("ended", "its result is written")
    return TrainingState("unknown", "started from a terminal, and has no result yet")


def _state_after(folder: Path, process: TrainingProcess) -> TrainingState:
    status = process.status
    if status == 0:
        return TrainingState("ended", f"at {_moment(process.ended)}")
    if status is None:
        return TrainingState("interrupted", "its process is gone: killed, or the machine was restarted")
    if status in _INTERRUPTS:
        return TrainingState("interrupted", f"cancelled at {_moment(process.ended)}")
    if status == _KILLED:
        return TrainingState(
            "interrupted", f"killed at {_moment(process.ended)}, for example for want of memory"
        )
    reason = process.trouble or " ".join(line.strip() for line in log_lines(folder)[-_LAST_LINES:])
    return TrainingState("failed", reason or f"status {status}, and its log is empty")


def _planned_steps(folder: Path) -> int | None:
    """Return the number of steps in the copy of the recipe that a training keeps."""
    try:
        training = read_yaml(folder / RECIPE_FILE, dict[str, Any], "recipe").get("training")
    except TrainingError:
        return None
    steps = training.get("steps") if isinstance(training, dict) else None
    return steps if isinstance(steps, int) else None


def _steps(folder: Path) -> list[TrainingStep]:
    file = folder / STEPS_FILE
    try:
        found = file.stat()
    except OSError:
        return []
    return _read_steps(folder, found.st_size, found.st_mtime_ns)


@lru_cache(8)
def _read_steps(folder: Path, size: int, changed: int) -> list[TrainingStep]:
    return list(read_steps(folder))


def _moment(text: str) -> str:
    """Return a time in UTC as people read it."""
    try:
        return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M UTC")
    except ValueError:
        return text


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _last_change(folder: Path) -> str:
    names = (STEPS_FILE, PROCESS_FILE, LOG_FILE, MODEL_FOLDER)
    times = [(folder / name).stat().st_mtime for name in names if (folder / name).exists()]
    latest = max(times, default=folder.stat().st_mtime)
    return datetime.fromtimestamp(latest, UTC).isoformat(timespec="seconds")
