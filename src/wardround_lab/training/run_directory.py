"""The directory of one training: its inputs, its result, and the record of its steps."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from wardround.errors import TrainingError
from wardround.inference.metadata import BaseModel, Lora, TrainingData

RUN_FILE = "run.json"
CHAT_RUN_FILE = "chat-run.json"
STEPS_FILE = "run.jsonl"
BASE_FILE = "base.yml"
RECIPE_FILE = "recipe.yml"
TEXTS_FILE = "texts.json"
CHECKPOINT_FILE = "checkpoint.safetensors"
LORA_FOLDER = "lora"
MERGED_FOLDER = "merged"
ONNX_FOLDER = "onnx"
MODEL_FOLDER = "model"


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """A finished training.

    Attributes:
        base: as a recipe names it.
        ended: ``steps``: all were done; ``minutes``: the time limit was reached.
        kept: the step of the selected weights.
        best: the validation metric at that step; None without validation questions.
        seconds: wall time, over all parts of an interrupted training.
        weights: SHA-256 of the LoRA weights.
        scope: the one repository of training and evaluation; empty for a general one.
        versions: versions of the packages involved.
    """

    schema: Literal["wardround.run/1"]
    name: str
    specialist: str
    task: str
    title: str
    base: str
    base_model: BaseModel
    window: int
    marker_position: Literal["start", "end"]
    lora: Lora
    data: TrainingData
    seed: int
    steps: int
    ended: Literal["steps", "minutes"]
    kept: int
    best: float | None
    precision: Literal["float32", "bfloat16"]
    seconds: float
    date: str
    weights: str
    versions: dict[str, str]
    scope: str = ""


class TrainingStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """One line of a training's record.

    Attributes:
        rate: learning rate.
        mrr: mean reciprocal rank of the validation questions, if they were evaluated after this step.
        seconds: since the training began, without interruptions.
    """

    step: int
    loss: float
    rate: float
    seconds: float
    mrr: float | None = None


def read_run(folder: Path) -> Run:
    """Read the result of the training in a directory.

    Raises:
        TrainingError: it is not finished, or this is not such a directory.
    """
    file = folder / RUN_FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=Run)
    except FileNotFoundError as cause:
        raise TrainingError(
            f"{folder}: there is no finished training here; run `wardround adapters train` first"
        ) from cause
    except (OSError, msgspec.MsgspecError, ValueError) as cause:
        raise TrainingError(f"{file}: {cause}; train again") from cause


def require_same(folder: Path, created: TrainingData, made_seed: int, data: TrainingData, seed: int) -> None:
    """Require that the finished training in a directory is the requested one.

    Raises:
        TrainingError: it is another one.
    """
    if (created.recipe, created.records, made_seed) != (data.recipe, data.records, seed):
        raise TrainingError(
            f"{folder}: it contains the training of another recipe, seed or records; choose another --out"
        )


def read_steps(folder: Path) -> Iterator[TrainingStep]:
    """Read the record of a training's steps; a truncated line ends it."""
    decoder = msgspec.json.Decoder(TrainingStep)
    try:
        lines = (folder / STEPS_FILE).read_bytes().splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        try:
            yield decoder.decode(line)
        except msgspec.MsgspecError:
            return


def cut_steps(folder: Path, last: int) -> None:
    """Remove the lines after step ``last`` from the record: those steps are repeated."""
    retained = [msgspec.json.encode(step) + b"\n" for step in read_steps(folder) if step.step <= last]
    write_atomically(folder / STEPS_FILE, b"".join(retained))


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically.

    Raises:
        TrainingError: it cannot be written.
    """
    half = path.with_name(f"{path.name}.half")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with half.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path)
    except OSError as cause:
        raise TrainingError(f"{path}: {cause.strerror}; free space, or choose another directory") from cause


def write_struct(path: Path, value: msgspec.Struct) -> None:
    """Write a value as readable JSON, the same bytes for the same value."""
    write_atomically(
        path, msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=2) + b"\n"
    )
