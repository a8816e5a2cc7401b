"""The steps that every training shares: repeatable, resumable after a kill, with remaining time."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import ClassVar, Generic, Literal, TypeVar

import msgspec
import torch

from wardround.errors import TrainingError
from wardround_lab.training.checkpoint import (
    Checkpoint,
    Position,
    optimiser_tensors,
    read_checkpoint,
    set_optimiser_tensors,
    write_checkpoint,
)
from wardround_lab.training.recipe import TrainingPart
from wardround_lab.training.run_directory import (
    CHECKPOINT_FILE,
    STEPS_FILE,
    TrainingStep,
    cut_steps,
    write_struct,
)

Batch = TypeVar("Batch")
RunResult = TypeVar("RunResult", bound=msgspec.Struct)
Precision = Literal["float32", "bfloat16"]
Progress = Callable[[str], None]
Tensors = Mapping[str, torch.Tensor]
_CLIP = 1.0
"""Maximum norm of the gradient; larger ones are clipped."""
_LOOKS = 8
"""Number of validations in a training whose recipe does not set it."""


class Trainer(ABC, Generic[Batch, RunResult]):
    """A training in progress; subclasses define its data and its result.

    Attributes:
        METRIC: the metric of the validation items.
        RUN_FILE: the file of a finished training.
        settings: its steps, rate and limits; ``precision``: of the layers.
        weights: the trained ones.
        inputs_digest: digest of all inputs of the weights, except time limits.
    """

    METRIC: ClassVar[str]
    RUN_FILE: ClassVar[str]

    def __init__(
        self, settings: TrainingPart, precision: Precision, folder: Path, progress: Progress
    ) -> None:
        self.settings, self.precision = settings, precision
        self.folder, self.progress = folder, progress
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.best: dict[str, torch.Tensor] = {}

    def begin(self, weights: list[torch.nn.Parameter], inputs_digest: str) -> None:
        """Initialise the trained weights, once they are on their device."""
        self.weights = weights
        self.optimiser = torch.optim.AdamW(weights, lr=self.settings.rate, weight_decay=0.0, foreach=False)
        self.position = Position(inputs_digest, 0, 0.0, 0, None)
        self.begun = time.monotonic()

    @abstractmethod
    def batches(self, start: int) -> Iterator[Batch]:
        """Yield the input of each step from a step on, independent of earlier calls."""

    @abstractmethod
    def loss(self, batch: Batch) -> torch.Tensor:
        """Return the loss of one step, with its gradient."""

    @abstractmethod
    def metric(self) -> float | None:
        """Return the metric of the validation items; None if there are none."""

    @abstractmethod
    def tensors(self) -> dict[str, torch.Tensor]:
        """Return the trained tensors by name."""

    @abstractmethod
    def set_tensors(self, tensors: Tensors) -> None:
        """Restore the result of ``tensors``."""

    @abstractmethod
    def write_result(self, weights: Tensors, kept: int, ended: Literal["steps", "minutes"]) -> RunResult:
        """Write the weights of step ``kept``, and return the result of the training."""

    def run(self) -> RunResult:
        """Train to the end and write the result."""
        torch.use_deterministic_algorithms(True, warn_only=True)
        self._resume()
        settings, before, started = self.settings, self.position.seconds, self.position.step
        ended: Literal["steps", "minutes"] = "steps"
        with (self.folder / STEPS_FILE).open("ab") as record:
            for batch in self.batches(started):
                if self.position.step >= settings.steps:
                    break
                if settings.max_minutes and self.position.seconds >= settings.max_minutes * 60:
                    ended = "minutes"
                    break
                lost, rate = self._step(batch)
                step = self.position.step + 1
                metric = self._look(step)
                self._advance(step, before + time.monotonic() - self.begun, metric)
                line = TrainingStep(step, round(lost, 6), rate, round(self.position.seconds, 2), metric)
                record.write(msgspec.json.encode(line) + b"\n")
                record.flush()
                if step % settings.checkpoint == 0:
                    self._save()
                self.progress(self._format_progress(lost, step - started, self.position.seconds - before))
        return self._end(ended)

    def computing(self) -> AbstractContextManager[object]:
        """Return the context of the layers' precision."""
        if self.precision == "float32":
            return nullcontext()
        return torch.autocast(self.device.type, torch.bfloat16)

    @property
    def validate(self) -> int:
        """Return the number of steps between two validations."""
        return self.settings.validate or max(1, self.settings.steps // _LOOKS)

    def _resume(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        found = read_checkpoint(self.folder)
        if found is None:
            cut_steps(self.folder, 0)
            return
        if found.position.inputs != self.position.inputs:
            raise TrainingError(
                f"{self.folder}: it contains an unfinished training of another recipe, base or records; "
                "choose another --out, or delete it"
            )
        self.set_tensors(found.lora)
        set_optimiser_tensors(self.optimiser, found.optimiser)
        torch.set_rng_state(found.random)
        self.best = dict(found.best)
        self.position = found.position
        cut_steps(self.folder, found.position.step)

    def _step(self, batch: Batch) -> tuple[float, float]:
        """Run one step of the optimiser and return its loss and its rate."""
        rate = self.settings.rate * schedule(self.position.step, self.settings.steps, self.settings.warm_up)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        lost = self.loss(batch)
        self.optimiser.zero_grad()
        backward: Callable[[], None] = lost.backward
        backward()
        torch.nn.utils.clip_grad_norm_(self.weights, _CLIP)
        self.optimiser.step()
        return lost.item(), rate

    def _look(self, step: int) -> float | None:
        """Return the validation metric after a step, if it is due."""
        if step % self.validate and step != self.settings.steps:
            return None
        metric = self.metric()
        return None if metric is None else round(metric, 6)

    def _advance(self, step: int, seconds: float, metric: float | None) -> None:
        """Advance to a step, and remember the best weights so far."""
        best = self.position.best
        better = metric is not None and (best is None or metric > best)
        if better and self.settings.keep == "best":
            self.best = self.tensors()
        retained = step if better else self.position.kept
        self.position = Position(self.position.inputs, step, seconds, retained, metric if better else best)

    def _save(self) -> None:
        state = optimiser_tensors(self.optimiser)
        current = Checkpoint(self.position, self.tensors(), self.best, state, torch.get_rng_state())
        write_checkpoint(self.folder, current)

    def _format_progress(self, lost: float, created: int, seconds: float) -> str:
        left = seconds / created * (self.settings.steps - self.position.step)
        if self.settings.max_minutes:
            left = min(left, self.settings.max_minutes * 60 - self.position.seconds)
        best = "" if self.position.best is None else f", best {self.METRIC} {self.position.best:.3f}"
        minutes, rest = divmod(max(0, round(left)), 60)
        step = f"step {self.position.step} of {self.settings.steps}"
        return f"{step}, loss {lost:.3f}{best}, {minutes}:{rest:02} left"

    def _end(self, ended: Literal["steps", "minutes"]) -> RunResult:
        if not self.position.step:
            raise TrainingError("training.max-minutes elapsed before the first step; increase it")
        self._save()
        retained = self.position.kept if self.best else self.position.step
        run = self.write_result(self.best or self.tensors(), retained, ended)
        write_struct(self.folder / self.RUN_FILE, run)
        (self.folder / CHECKPOINT_FILE).unlink()
        return run


def precision_of(training: TrainingPart) -> Precision:
    """Return the precision of the layers: bfloat16 if the processor supports it; otherwise it is slower."""
    if training.precision != "auto":
        return training.precision
    if torch.cuda.is_available():
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float32"
    return "bfloat16" if "bf16" in _processor_flags() else "float32"


def _processor_flags() -> str:
    """Return the flags of the processor on Linux, such as ``avx512_bf16`` and ``amx_bf16``; elsewhere there
    is no such file.
    """
    try:
        return Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return ""


def schedule(step: int, steps: int, warm_up: float) -> float:
    """Return the share of the maximum rate at a 0-based step: rising over ``warm_up`` of the steps, then
    falling.
    """
    rising = max(1, round(steps * warm_up))
    if step < rising:
        return (step + 1) / rising
    return max(0.0, (steps - step) / max(1, steps - rising + 1))
