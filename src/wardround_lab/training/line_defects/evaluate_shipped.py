"""Evaluate line models as shipped, and write the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from zlib import crc32

import msgspec
import numpy as np

from wardround.inference.metadata import Metadata, PromotionState
from wardround.inference.verified_files import read_verified
from wardround.training_tasks import Window
from wardround_lab.training import plots
from wardround_lab.training.bootstrap import Floats
from wardround_lab.training.evaluate_shipped import require_trained_by
from wardround_lab.training.line_defects.encoding import WindowEncoder, divide_windows, judged_lines
from wardround_lab.training.line_defects.evaluate import FEWEST_LINES, evaluate_lines
from wardround_lab.training.line_defects.export import line_logits
from wardround_lab.training.line_defects.recipe import LineRecipe, read_line_recipe
from wardround_lab.training.packaging import plain_session
from wardround_lab.training.promote import Model, copy_recipe, write
from wardround_lab.training.run_directory import MODEL_FOLDER, read_steps

Progress = Callable[[str], None]
_AT_ONCE = 200
_INJECTED = 8
"""Interval at which pairs of injected defects are scored: they decide nothing, and are most of the windows.
"""


def evaluate_line_models(
    models: Sequence[Model],
    recipe_file: Path,
    base: Path | None,
    exempt: Mapping[str, str],
    progress: Progress,
) -> Metadata:
    """Evaluate models of one line recipe; write the result to the first.

    Raises:
        TrainingError: they are not of this recipe and these records, or two have the same seed.
        ModelError: a file does not match its metadata.
    """
    recipe, first = read_line_recipe(recipe_file), models[0]
    require_trained_by(models, recipe_file, recipe.data, "lines")
    sides = divide_windows(recipe.data, recipe_file.parent)
    scores = {model.metadata.seed: _scores(model, recipe, sides.evaluation, progress) for model in models}
    evaluation = evaluate_lines(
        sides, scores, shipped=first.metadata.seed,
        digests={model.metadata.seed: model.metadata.model.sha256 for model in models},
    )  # fmt: skip
    evaluation = msgspec.structs.replace(evaluation, exempt=dict(exempt))
    metadata = msgspec.structs.replace(
        first.metadata, evaluation=evaluation, state=PromotionState.SHADOW, reasons=()
    )
    metadata = write(first.folder, metadata)
    copy_recipe(first.folder, recipe_file)
    steps = [plots.PlottedStep(step.step, step.loss, step.mrr) for step in read_steps(first.folder.parent)]
    if steps and first.folder.name == MODEL_FOLDER:
        plots.draw_training(first.folder / plots.TRAINING, steps, metadata.name)
    return metadata


def _scores(model: Model, recipe: LineRecipe, windows: Sequence[Window], progress: Progress) -> list[Floats]:
    """Return, for each window, the scores of its judged lines by the shipped file; none if it cannot be
    encoded.
    """
    from tokenizers import Tokenizer

    known = model.metadata
    assert known.tokenizer is not None
    read_verified(model.folder, known.model)
    tokenizer = Tokenizer.from_str(read_verified(model.folder, known.tokenizer).decode())
    from wardround_lab.training.base_model import read_base

    position = recipe.marker_position or read_base(recipe.base).marker_position
    writer = WindowEncoder(tokenizer, known.window, position, known.inputs[1:])
    session = plain_session(model.folder / known.model.name)
    rows: list[Floats] = []
    for start in range(0, len(windows), _AT_ONCE):
        progress(f"{known.name}, seed {known.seed}: {start} of {len(windows)} windows")
        requested = windows[start : start + _AT_ONCE]
        some = [writer.sheet(row) if _needs_score(row) else None for row in requested]
        created = iter(line_logits(session, [sheet for sheet in some if sheet is not None]))
        rows += [np.zeros(0) if sheet is None else next(created)[:, 0] for sheet in some]
    return rows


def _needs_score(window: Window) -> bool:
    """Return True if a figure needs the score: of injected defects only a sample of pairs with enough
    lines.
    """
    if window.origin != "injected":
        return True
    drawn = crc32(f"{window.repository}:{window.group}:{window.pair}".encode()) % _INJECTED == 0
    return drawn and len(judged_lines(window)) >= FEWEST_LINES
