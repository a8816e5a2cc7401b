"""What every training does step by step: repeatable, resumable after a kill, and saying how long is left."""

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
"""Longest gradient; longer ones are shortened to it."""
_LOOKS = 8
"""Looks at the validation items in a training whose recipe does not say how often."""


class Trainer(ABC, Generic[Batch, RunResult]):
    """A training under way; what it is trained on, and what it writes in the end, is for others to say.

    Attributes:
        METRIC: what the validation items are judged by.
        RUN_FILE: what a finished training is written to.
        settings: its steps, rate and limits; ``precision``: what the layers compute in.
        weights: those that are trained.
        inputs_digest: of everything that decides the weights, but for limits of time.
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
        """Take over what is trained, once it stands on its device."""
        self.weights = weights
        self.optimiser = torch.optim.AdamW(weights, lr=self.settings.rate, weight_decay=0.0, foreach=False)
        self.position = Position(inputs_digest, 0, 0.0, 0, None)
        self.begun = time.monotonic()

    @abstractmethod
    def batches(self, start: int) -> Iterator[Batch]:
        """What each step is made with, from a step on; the same whatever came before."""

    @abstractmethod
    def loss(self, batch: Batch) -> torch.Tensor:
        """The loss of one step, with what it takes to go backwards."""

    @abstractmethod
    def metric(self) -> float | None:
        """How good it is on the validation items; None where there are none."""

    @abstractmethod
    def tensors(self) -> dict[str, torch.Tensor]:
        """What is trained, by name."""

    @abstractmethod
    def set_tensors(self, tensors: Tensors) -> None:
        """Put back what ``tensors`` gave."""

    @abstractmethod
    def written(self, weights: Tensors, kept: int, ended: Literal["steps", "minutes"]) -> RunResult:
        """Write the weights of step ``kept``, and say what the training came to."""

    def run(self) -> RunResult:
        """Train to the end and write what came of it."""
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
                self._moved(step, before + time.monotonic() - self.begun, metric)
                line = TrainingStep(step, round(lost, 6), rate, round(self.position.seconds, 2), metric)
                record.write(msgspec.json.encode(line) + b"\n")
                record.flush()
                if step % settings.checkpoint == 0:
                    self._save()
                self.progress(self._told(lost, step - started, self.position.seconds - before))
        return self._end(ended)

    def computing(self) -> AbstractContextManager[object]:
        """In which the layers compute."""
        if self.precision == "float32":
            return nullcontext()
        return torch.autocast(self.device.type, torch.bfloat16)

    @property
    def validate(self) -> int:
        """Steps from one look at the validation items to the next."""
        return self.settings.validate or max(1, self.settings.steps // _LOOKS)

    def _resume(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        found = read_checkpoint(self.folder)
        if found is None:
            cut_steps(self.folder, 0)
            return
        if found.position.inputs != self.position.inputs:
            raise TrainingError(
                f"{self.folder}: it holds an unfinished training of another recipe, base or records; "
                "give another --out, or delete it"
            )
        self.set_tensors(found.lora)
        set_optimiser_tensors(self.optimiser, found.optimiser)
        torch.set_rng_state(found.random)
        self.best = dict(found.best)
        self.position = found.position
        cut_steps(self.folder, found.position.step)

    def _step(self, batch: Batch) -> tuple[float, float]:
        """One step of the optimiser: its loss and its rate."""
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
        """The validation metric after a step, where it is time for it."""
        if step % self.validate and step != self.settings.steps:
            return None
        metric = self.metric()
        return None if metric is None else round(metric, 6)

    def _moved(self, step: int, seconds: float, metric: float | None) -> None:
        """Stand at a step; the best weights so far are kept."""
        best = self.position.best
        better = metric is not None and (best is None or metric > best)
        if better and self.settings.keep == "best":
            self.best = self.tensors()
        kept = step if better else self.position.kept
        self.position = Position(self.position.inputs, step, seconds, kept, metric if better else best)

    def _save(self) -> None:
        state = optimiser_tensors(self.optimiser)
        now = Checkpoint(self.position, self.tensors(), self.best, state, torch.get_rng_state())
        write_checkpoint(self.folder, now)

    def _told(self, lost: float, made: int, seconds: float) -> str:
        left = seconds / made * (self.settings.steps - self.position.step)
        if self.settings.max_minutes:
            left = min(left, self.settings.max_minutes * 60 - self.position.seconds)
        best = "" if self.position.best is None else f", best {self.METRIC} {self.position.best:.3f}"
        minutes, rest = divmod(max(0, round(left)), 60)
        step = f"step {self.position.step} of {self.settings.steps}"
        return f"{step}, loss {lost:.3f}{best}, {minutes}:{rest:02} left"

    def _end(self, ended: Literal["steps", "minutes"]) -> RunResult:
        if not self.position.step:
            raise TrainingError("training.max-minutes was over before the first step; allow more")
        self._save()
        kept = self.position.kept if self.best else self.position.step
        run = self.written(self.best or self.tensors(), kept, ended)
        write_struct(self.folder / self.RUN_FILE, run)
        (self.folder / CHECKPOINT_FILE).unlink()
        return run


def precision_of(training: TrainingPart) -> Precision:
    """What the layers compute in: bfloat16 where the processor does so itself; elsewhere it is slower."""
    if training.precision != "auto":
        return training.precision
    if torch.cuda.is_available():
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float32"
    return "bfloat16" if "bf16" in _processor_flags() else "float32"


def _processor_flags() -> str:
    """``avx512_bf16`` and ``amx_bf16`` stand here on Linux; elsewhere there is no such file."""
    try:
        return Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return ""


def schedule(step: int, steps: int, warm_up: float) -> float:
    """Share of the highest rate at a 0-based step: rising over ``warm_up`` of the steps, then falling."""
    rising = max(1, round(steps * warm_up))
    if step < rising:
        return (step + 1) / rising
    return max(0.0, (steps - step) / max(1, steps - rising + 1))
