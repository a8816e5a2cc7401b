"""Train a line model: LoRA and heads in two phases, repeatable, resumable after a kill."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import torch

from wardround.errors import TrainingError
from wardround.inference.metadata import BaseModel, Lora, TrainingData
from wardround_lab.training.audit_guard import audited_data
from wardround_lab.training.base_model import Located, describe_base, locate, read_base
from wardround_lab.training.choice_dataset import spread
from wardround_lab.training.encoder import load_tokenizer
from wardround_lab.training.evaluate_shipped import line_task_of
from wardround_lab.training.line_defects.encoding import EncodedWindow, WindowEncoder, divide_windows
from wardround_lab.training.line_defects.loss import balanced_loss, focal_loss, labels_of
from wardround_lab.training.line_defects.model import HEADS, LineModel, head_weights, set_head_weights
from wardround_lab.training.line_defects.recipe import LineRecipe, read_line_recipe
from wardround_lab.training.line_defects.sampling import BatchSampler, WindowBatch, pairs_of
from wardround_lab.training.lora import (
    add_lora,
    choose_lora,
    lora_weights,
    set_lora_weights,
)
from wardround_lab.training.qlora import load_trainable
from wardround_lab.training.recipe import MarkerPosition
from wardround_lab.training.run_directory import (
    BASE_FILE,
    RECIPE_FILE,
    require_same,
    write_atomically,
)
from wardround_lab.training.trainer import Precision, Progress, Tensors, Trainer, precision_of

if TYPE_CHECKING:
    from peft import PeftModel

RUN_FILE = "lines-run.json"
WEIGHTS_FILE = "lines.safetensors"
_AT_ONCE = 16
"""Number of windows that are scored together."""
_PACKAGES = ("torch", "transformers", "peft", "tokenizers", "safetensors")


class LineRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """A finished line training.

    Attributes:
        classes: classes of the heads, in order.
        windows: size of the pools: pairs, real correct ones, real broken ones.
        kept: the step of the selected weights; ``best``: their share of validation pairs in the correct
            order.
        weights: SHA-256 of the file of LoRA and heads.
    """

    schema: Literal["wardround.lines/1"]
    name: str
    specialist: str
    task: str
    title: str
    base: str
    base_model: BaseModel
    window: int
    marker_position: MarkerPosition
    lora: Lora
    classes: tuple[str, ...]
    data: TrainingData
    windows: tuple[int, int, int]
    seed: int
    steps: int
    ended: Literal["steps", "minutes"]
    kept: int
    best: float | None
    precision: Precision
    seconds: float
    date: str
    weights: str
    versions: dict[str, str]


def read_line_run(folder: Path) -> LineRun:
    """Read the result of the training in a directory.

    Raises:
        TrainingError: it is not finished, or this is not such a directory.
    """
    file = folder / RUN_FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=LineRun)
    except FileNotFoundError as cause:
        raise TrainingError(
            f"{folder}: there is no finished training of lines here; run `wardround adapters train` first"
        ) from cause
    except (OSError, msgspec.MsgspecError) as cause:
        raise TrainingError(f"{file}: {cause}; train again") from cause


def train_lines(
    recipe_file: Path,
    folder: Path,
    *,
    seed: int | None = None,
    hub: bool = False,
    base_folder: Path | None = None,
    progress: Progress = lambda text: None,
) -> LineRun:
    """Train a line recipe; see ``wardround_lab.training.train.train``.

    Raises:
        TrainingError: the recipe, the records, their audit or the base is invalid.
    """
    recipe = read_line_recipe(recipe_file)
    if seed is not None:
        training = msgspec.structs.replace(recipe.training, seed=seed)
        recipe = msgspec.structs.replace(recipe, training=training)
    classes = line_task_of(recipe.task).classes
    progress("reading the base")
    base = read_base(recipe.base, recipe_file.parent)
    located = locate(base, hub=hub, folder=base_folder)
    progress("reading the records")
    sides = divide_windows(recipe.data, recipe_file.parent)
    data = audited_data(recipe_file, recipe.data, len(sides.training))
    if (folder / RUN_FILE).is_file():
        run = read_line_run(folder)
        require_same(folder, run.data, run.seed, data, recipe.training.seed)
        return run
    torch.set_num_threads(recipe.training.threads)
    writer = WindowEncoder(
        load_tokenizer(located, recipe.window or base.window, recipe.marker_position or base.marker_position),
        recipe.window or base.window, recipe.marker_position or base.marker_position, classes,
    )  # fmt: skip
    trained, watched = writer.sheets(sides.training), writer.sheets(sides.validation)
    write_atomically(folder / BASE_FILE, describe_base(base))
    write_atomically(folder / RECIPE_FILE, recipe_file.read_bytes())
    return LineTraining(recipe, located, data, classes, trained, watched, folder, progress).run()


class LineTraining(Trainer[WindowBatch, LineRun]):
    """A line training in progress."""

    METRIC = "pairwise"
    RUN_FILE = RUN_FILE

    def __init__(
        self, recipe: LineRecipe, located: Located, data: TrainingData, classes: Sequence[str],
        trained: Sequence[EncodedWindow], watched: Sequence[EncodedWindow], folder: Path, progress: Progress,
    ) -> None:  # fmt: skip
        super().__init__(recipe.training, precision_of(recipe.training), folder, progress)
        self.recipe, self.located, self.data, self.classes = recipe, located, data, tuple(classes)
        self.pools = BatchSampler.of(trained, self.settings.seed)
        if not self.pools.pairs:
            raise TrainingError("data.train: no injected defects are left after balancing by size; mine more")
        self.watched = list(spread(pairs_of(watched), self.settings.validation_items))
        encoder = load_trainable(located, self.precision)
        self.lora = choose_lora(encoder, recipe.lora, located.base.targets)
        self.adapted: PeftModel = add_lora(encoder, self.lora, self.settings.seed)
        self.model = LineModel(encoder, len(self.classes))
        self.model.to(self.device)
        self.begin(
            [parameter for parameter in self.model.parameters() if parameter.requires_grad], self._digest()
        )

    def _digest(self) -> str:
        """Digest of all inputs of the weights except time limits."""
        free = msgspec.structs.replace(self.settings, max_minutes=0.0, checkpoint=1, threads=1)
        recipe = msgspec.structs.replace(self.recipe, training=free)
        parts = [msgspec.json.encode(part, order="deterministic") for part in (recipe, self.data.records)]
        return hashlib.sha256(b"\0".join([*parts, self.located.digest.encode()])).hexdigest()

    def batches(self, start: int) -> Iterator[WindowBatch]:
        settings = self.settings
        return self.pools.batches(settings.batch, self.recipe.phases, settings.steps, settings.seed, start)

    def loss(self, batch: WindowBatch) -> torch.Tensor:
        self.model.eval()
        expected, requested = (part.to(self.device) for part in labels_of(batch.sheets, len(self.classes)))
        with self.computing():
            logits = self.model.classify(batch.sheets, self.device).float()
        if batch.balanced:
            return balanced_loss(logits, expected, requested)
        return focal_loss(logits, expected, requested, self.recipe.phases.gamma)

    def metric(self) -> float | None:
        """Return the share of validation pairs whose broken version scores worse."""
        if not self.watched:
            return None
        bad, good = (self._scores([pair[at] for pair in self.watched]) for at in (0, 1))
        return float(((bad > good).float() + 0.5 * (bad == good).float()).mean())

    def _scores(self, sheets: Sequence[EncodedWindow]) -> torch.Tensor:
        """Return, for each window, the logit of its worst line."""
        worst = []
        with torch.no_grad():
            for start in range(0, len(sheets), _AT_ONCE):
                some = sheets[start : start + _AT_ONCE]
                created = self.model.classify(some, self.device)[:, 0]
                parts = torch.split(created, [len(sheet.places) for sheet in some])
                worst += [part.max() for part in parts]
        return torch.stack(worst)

    def tensors(self) -> dict[str, torch.Tensor]:
        return lora_weights(self.adapted) | head_weights(self.model)

    def set_tensors(self, tensors: Tensors) -> None:
        set_lora_weights(
            self.adapted, {name: value for name, value in tensors.items() if not name.startswith(HEADS)}
        )
        set_head_weights(self.model, dict(tensors))

    def write_result(self, weights: Tensors, kept: int, ended: Literal["steps", "minutes"]) -> LineRun:
        from safetensors.torch import save

        content = save({name: value.cpu() for name, value in weights.items()})
        write_atomically(self.folder / WEIGHTS_FILE, content)
        return self._run(ended, kept, hashlib.sha256(content).hexdigest())

    def _run(self, ended: Literal["steps", "minutes"], kept: int, weights: str) -> LineRun:
        recipe, base, pools = self.recipe, self.located.base, self.pools
        return LineRun(
            schema="wardround.lines/1",
            name=recipe.name,
            specialist=recipe.specialist,
            task=recipe.task,
            title=recipe.title,
            base=recipe.base,
            base_model=BaseModel(
                id=base.id, revision=base.revision, digest=self.located.digest, licence=base.licence
            ),
            window=recipe.window or base.window,
            marker_position=recipe.marker_position or base.marker_position,
            lora=self.lora,
            classes=self.classes,
            data=self.data,
            windows=(len(pools.pairs), len(pools.real_right), len(pools.real_broken)),
            seed=self.settings.seed,
            steps=self.position.step,
            ended=ended,
            kept=kept,
            best=self.position.best,
            precision=self.precision,
            seconds=round(self.position.seconds, 1),
            date=datetime.datetime.now(datetime.UTC).date().isoformat(),
            weights=weights,
            versions={name: version(name) for name in _PACKAGES},
        )
