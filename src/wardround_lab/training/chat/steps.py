"""The record of a training's steps, and its progress with the remaining time."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Literal

import msgspec

from wardround_lab.training.recipe import TrainingPart
from wardround_lab.training.run_directory import STEPS_FILE, TrainingStep, cut_steps, read_steps
from wardround_lab.training.trainer import Progress


class StepRecord:
    """The steps of a training so far.

    Attributes:
        steps: number of completed steps.
        seconds: wall time, over all parts of an interrupted training.
        ended: ``minutes`` once the time limit was reached.
    """

    def __init__(self, folder: Path, settings: TrainingPart, progress: Progress) -> None:
        self.folder, self.settings, self.progress = folder, settings, progress
        self.steps = 0
        self.seconds = 0.0
        self.ended: Literal["steps", "minutes"] = "steps"

    def begin(self, step: int) -> None:
        """Start after a step; the record of later ones is removed, since they are repeated."""
        cut_steps(self.folder, step)
        earlier = list(read_steps(self.folder))
        self.seconds = earlier[-1].seconds if earlier else 0.0
        self.steps = self._first = step
        self._seconds_before = self.seconds
        self._begun = time.monotonic()

    def add(self, step: int, loss: float, rate: float) -> bool:
        """Record a step; return True if the time limit is reached."""
        self.steps = step
        self.seconds = self._seconds_before + time.monotonic() - self._begun
        line = msgspec.json.encode(TrainingStep(step, loss, rate, round(self.seconds, 3)))
        with (self.folder / STEPS_FILE).open("ab") as file:
            file.write(line + b"\n")
        self.progress(self._text(loss))
        limit = self.settings.max_minutes * 60
        if limit and self.seconds >= limit and step < self.settings.steps:
            self.ended = "minutes"
        return self.ended == "minutes"

    def _text(self, loss: float) -> str:
        taken = time.monotonic() - self._begun
        left = taken / max(1, self.steps - self._first) * (self.settings.steps - self.steps)
        if self.settings.max_minutes:
            left = min(left, self.settings.max_minutes * 60 - self.seconds)
        minutes, rest = divmod(max(0, round(left)), 60)
        return f"step {self.steps} of {self.settings.steps}, loss {loss:.3f}, {minutes}:{rest:02} left"

    def callback(self) -> Any:
        """Return the callback of transformers' trainer that records each step."""
        import transformers

        record = self

        class RecordingCallback(transformers.TrainerCallback):
            """Record each step as it is logged."""

            def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **others: Any) -> None:
                if (
                    logs
                    and "loss" in logs
                    and record.add(state.global_step, logs["loss"], logs["learning_rate"])
                ):
                    control.should_training_stop = True

        return RecordingCallback()
