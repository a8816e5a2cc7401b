"""Trainings in every state, a recipe and a model for the tests of the dashboard; nothing is trained."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import msgspec

from tests.lab.dashboard import curated
from tests.lab.dashboard.filling_reviews import HOSTILE
from wardround.inference.locations import package_folder
from wardround_lab.dashboard.process_record import (
    LOG_FILE,
    ProcessIdentity,
    TrainingProcess,
    TrainingRequest,
    write_process,
)
from wardround_lab.training.run_directory import STEPS_FILE, TrainingStep

_GONE = ProcessIdentity(2**22, 1, "a start of the machine long ago")
_RECIPE = """\
name: shop-words
specialist: python
task: words
title: Which text is about a word
data:
  records: [records.jsonl]
  train: [acme/one]
training: {steps: 200}
"""
_ENDS = {
    "ended": (0, "shop-words: 200 steps in 3.0 minutes, seed 0"),
    "cancelled": (
        130,
        "wardround: interrupted; the same command goes on from what is done in runs/cancelled",
    ),
    "failed": (2, f"wardround: records.jsonl: line 3 is no record: {HOSTILE}; correct it"),
    "killed": (None, "step 120 of 200, loss 0.400, 1:02 left"),
}


def fill(folder: Path) -> None:
    """Write a recipe, five runs and the model of one."""
    curated.write(folder / "models/records.jsonl", [])
    (folder / "models/recipe.yml").write_text(_RECIPE)
    for at, (name, (status, line)) in enumerate(_ENDS.items()):
        run = folder / "runs" / name
        write_steps(run, 200 if status == 0 else 120)
        (run / LOG_FILE).write_text(f"reading the base\nreading the records\n{line}\n")
        request = TrainingRequest(recipe="models/recipe.yml", name=name)
        process = TrainingProcess(
            request=request, began=f"2030-01-0{at + 1}T09:00:00+00:00", supervisor=_GONE, training=_GONE,
            status=status, ended="" if status is None else f"2030-01-0{at + 1}T09:03:00+00:00",
        )  # fmt: skip
        write_process(run, process)
    write_steps(folder / "runs/by-hand/seed-0", 40)
    shipped = package_folder()
    assert shipped is not None
    shutil.copytree(shipped / "new_parameters", folder / "runs/ended/model")


def write_steps(run: Path, count: int) -> None:
    """Write the record and the recipe of a training of 200 steps."""
    run.mkdir(parents=True)
    (run / "recipe.yml").write_text(_RECIPE)
    steps = [
        TrainingStep(
            at, round(2 * math.exp(-at / 60) + 0.1 * math.sin(at), 4), 0.001, at * 0.9,
            round(1 - math.exp(-at / 80), 4) if at % 20 == 0 else None,
        )
        for at in range(1, count + 1)
    ]  # fmt: skip
    (run / STEPS_FILE).write_bytes(b"".join(msgspec.json.encode(step) + b"\n" for step in steps))
