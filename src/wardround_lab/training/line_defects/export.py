"""Turn a line training into the shipped model: merged, exported, quantised to eight bits; all measured."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from wardround.errors import TrainingError
from wardround.inference.metadata import Metadata, PromotionState, write_metadata
from wardround_lab.training.base_model import locate, read_base
from wardround_lab.training.bootstrap import Floats
from wardround_lab.training.checkpoint import read_tensors
from wardround_lab.training.encoder import load_encoder, load_tokenizer, silence_transformers
from wardround_lab.training.line_defects.encoding import EncodedWindow, WindowEncoder, divide_windows
from wardround_lab.training.line_defects.model import HEADS, LineModel, export_lines, set_head_weights
from wardround_lab.training.line_defects.recipe import read_line_recipe
from wardround_lab.training.line_defects.train import WEIGHTS_FILE, LineRun, read_line_run
from wardround_lab.training.lora import add_lora, set_lora_weights
from wardround_lab.training.onnx_export import INPUT
from wardround_lab.training.packaging import (
    MODEL_FILE,
    Shipped,
    add_tokenizer,
    plain_session,
    write_model,
)
from wardround_lab.training.parity import compare_outputs
from wardround_lab.training.qlora import load_trainable
from wardround_lab.training.quantise import quantise_weights
from wardround_lab.training.resource_checks import require_memory
from wardround_lab.training.run_directory import (
    BASE_FILE,
    MODEL_FOLDER,
    ONNX_FOLDER,
    RECIPE_FILE,
    write_atomically,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from wardround.inference.onnx_session import Session

_MEASURED = 48
"""Number of windows by which the steps are measured."""
LINE = "line"
"""The name of the head of defective lines; the others are named after classes."""

Progress = Callable[[str], None]


def finish_lines(
    folder: Path, recipe_file: Path, *, base_folder: Path | None = None, progress: Progress
) -> Shipped:
    """Merge, export and quantise the model of a training, self-contained, in ``model`` below the directory.

    Raises:
        TrainingError: the training is not finished, or its base has changed.
    """
    run = read_line_run(folder)
    located = locate(read_base(BASE_FILE, folder), folder=base_folder)
    if located.digest != run.base_model.digest:
        raise TrainingError(f"{located.folder}: it was trained on another base; find that one")
    tokenizer = load_tokenizer(located, run.window, run.marker_position)
    sheets = _sheets(run, recipe_file, tokenizer)
    require_memory(located)
    progress("merging")
    adapted = _model(run, folder, load_trainable(located, "float32"), merge=False)
    merged = _model(run, folder, load_encoder(located), merge=True)
    rows = [_run_torch(model, sheets) for model in (adapted, merged)]
    progress("exporting")
    file = folder / ONNX_FOLDER / MODEL_FILE
    export_lines(merged, sheets[0].tokens, file)
    rows.append(line_logits(plain_session(file), sheets))
    progress("quantising")
    target = folder / MODEL_FOLDER
    model = write_model(quantise_weights(file), target)
    rows.append(line_logits(plain_session(target / MODEL_FILE), sheets))
    steps = ("merged", "onnx-fp32", "onnx-int8")
    outputs = [np.concatenate(row) for row in rows]
    parity = tuple(compare_outputs(step, outputs[at], outputs[at + 1]) for at, step in enumerate(steps))
    metadata = Metadata(
        schema="wardround.adapter/1", name=run.name, specialist=run.specialist, task=run.task,
        title=run.title, kind="lines", state=PromotionState.SHADOW,
        licence=run.base_model.licence, date=run.date,
        model=model, base=run.base_model, window=run.window, inputs=(LINE, *run.classes), lora=run.lora,
        data=run.data, seed=run.seed, seconds=run.seconds, parity=parity,
        reasons=("It was not evaluated; run `wardround adapters evaluate`.",),
    )  # fmt: skip
    metadata = add_tokenizer(metadata, tokenizer, target, None)
    write_atomically(target / RECIPE_FILE, (folder / RECIPE_FILE).read_bytes())
    return Shipped(target, write_metadata(target, metadata))


def line_logits(session: Session, sheets: Sequence[EncodedWindow]) -> list[Floats]:
    """Return, for each window, the logits of its judged lines, (lines, 1 + classes); one window per run."""
    rows = []
    for sheet in sheets:
        created = session.run({INPUT: np.array([sheet.tokens], dtype=np.int64)})[0]
        rows.append(np.asarray(created, dtype=np.float64).reshape(len(sheet.tokens), -1)[list(sheet.places)])
    return rows


def _sheets(run: LineRun, recipe_file: Path, tokenizer: Tokenizer) -> list[EncodedWindow]:
    data = read_line_recipe(recipe_file).data
    sides = divide_windows(data, recipe_file.parent)
    windows = sides.validation or sides.training
    every = max(1, len(windows) // _MEASURED)
    writer = WindowEncoder(tokenizer, run.window, run.marker_position, run.classes)
    return writer.sheets(windows[::every][:_MEASURED])


def _model(run: LineRun, folder: Path, encoder: Any, *, merge: bool) -> LineModel:
    file = folder / WEIGHTS_FILE
    weights = read_tensors(file)
    if hashlib.sha256(file.read_bytes()).hexdigest() != run.weights:
        raise TrainingError(f"{file}: these are not the weights that were trained here; train again")
    adapted: Any = add_lora(encoder, run.lora, 0)
    set_lora_weights(adapted, {name: value for name, value in weights.items() if not name.startswith(HEADS)})
    if merge:
        with silence_transformers():
            encoder.model = adapted.merge_and_unload()
    model = LineModel(encoder, len(run.classes))
    set_head_weights(model, weights)
    return model.to(next(encoder.parameters()).device).eval()


def _run_torch(model: LineModel, sheets: Sequence[EncodedWindow]) -> list[Floats]:
    device = next(model.parameters()).device
    with torch.no_grad():
        return [model.classify([sheet], device).double().cpu().numpy() for sheet in sheets]
