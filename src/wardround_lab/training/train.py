"""Train an adapter on choices: LoRA on the upper layers, repeatable, and resumable after a kill."""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import torch

from wardround.errors import TrainingError
from wardround.inference.metadata import BaseModel, Lora, TrainingData
from wardround.training_tasks import Choice
from wardround_lab.training import contrastive_loss
from wardround_lab.training.audit_guard import audited_data
from wardround_lab.training.base_model import Located, describe_base, locate, read_base
from wardround_lab.training.checkpoint import Position
from wardround_lab.training.choice_dataset import (
    ChoiceDataset,
    Question,
    batches,
    split,
    spread,
    subsample,
    tokenize_choices,
)
from wardround_lab.training.encoder import Encoder, length_buckets, load_tokenizer, pad
from wardround_lab.training.frozen_layer_cache import FrozenLayerCache
from wardround_lab.training.lora import (
    WEIGHTS_FILE,
    add_lora,
    choose_lora,
    fuse,
    lora_weights,
    save_lora,
    set_lora_weights,
)
from wardround_lab.training.qlora import load_trainable
from wardround_lab.training.recipe import MarkerPosition, Recipe, read_recipe
from wardround_lab.training.run_directory import (
    BASE_FILE,
    LORA_FOLDER,
    RECIPE_FILE,
    RUN_FILE,
    TEXTS_FILE,
    Run,
    read_run,
    require_same,
    write_atomically,
)
from wardround_lab.training.trainer import Precision, Progress, Tensors, Trainer, precision_of

if TYPE_CHECKING:
    from peft import PeftModel

_VALIDATION_CANDIDATES = 24
_MEASURED = 16
"""Number of questions whose texts measure the export."""
_PACKAGES = ("torch", "transformers", "peft", "tokenizers", "safetensors")


@dataclass(frozen=True, slots=True)
class Inputs:
    """All inputs of the weights of a training."""

    recipe: Recipe
    located: Located
    window: int
    marker_position: MarkerPosition
    precision: Precision
    data: TrainingData

    @property
    def digest(self) -> str:
        """Digest of everything except the limit in minutes, which a continued training may raise."""
        free = msgspec.structs.replace(self.recipe.training, max_minutes=0.0, checkpoint=1, threads=1)
        recipe = msgspec.structs.replace(self.recipe, training=free)
        known = [msgspec.json.encode(part, order="deterministic") for part in (recipe, self.data.records)]
        parts = [*known, self.located.digest.encode(), self.precision.encode()]
        return hashlib.sha256(b"\0".join(parts)).hexdigest()


def train(
    recipe_file: Path,
    folder: Path,
    *,
    seed: int | None = None,
    hub: bool = False,
    base_folder: Path | None = None,
    progress: Progress = lambda text: None,
) -> Run:
    """Train a recipe into ``folder``; continue an interrupted training.

    Args:
        seed: overrides the recipe's.
        hub: allow downloading the base.
        base_folder: directory of the base's files, if not that of its description.

    Raises:
        TrainingError: the recipe, the records, their audit or the base is invalid, or the directory contains
            the training of another recipe.
    """
    recipe = _set_seed(read_recipe(recipe_file), seed)
    progress("reading the base")
    base = read_base(recipe.base, recipe_file.parent)
    located = locate(base, hub=hub, folder=base_folder)
    progress("reading the records")
    sides = split(recipe, recipe_file.parent)
    inputs = _inputs(recipe, recipe_file, located, len(sides.training))
    finished = _finished_run(folder, inputs)
    if finished is not None:
        return finished
    torch.set_num_threads(recipe.training.threads)
    tokenizer = load_tokenizer(located, inputs.window, inputs.marker_position)
    questions = tokenize_choices(sides.training, sides.validation, tokenizer)
    if not questions.training:
        raise TrainingError("data.train: its items have no distinct wrong candidate; mine others")
    write_atomically(folder / BASE_FILE, describe_base(base))
    write_atomically(folder / RECIPE_FILE, recipe_file.read_bytes())
    write_atomically(
        folder / TEXTS_FILE, msgspec.json.encode(_sample_texts(sides.validation or sides.training))
    )
    return Training(inputs, questions, folder, progress).run()


def _set_seed(recipe: Recipe, seed: int | None) -> Recipe:
    if seed is None:
        return recipe
    return msgspec.structs.replace(recipe, training=msgspec.structs.replace(recipe.training, seed=seed))


def _sample_texts(choices: Sequence[Choice]) -> list[str]:
    """Return evenly sampled texts, to measure the steps of the export."""
    used = spread(choices, _MEASURED)
    return list(
        dict.fromkeys(text for question in used for text in (question.query, *question.candidates[:3]))
    )


def _inputs(recipe: Recipe, recipe_file: Path, located: Located, items: int) -> Inputs:
    return Inputs(
        recipe=recipe,
        located=located,
        window=recipe.window or located.base.window,
        marker_position=recipe.marker_position or located.base.marker_position,
        precision=precision_of(recipe.training),
        data=audited_data(recipe_file, recipe.data, items),
    )


def _finished_run(folder: Path, inputs: Inputs) -> Run | None:
    """Return the training in a directory if it is the requested one and finished."""
    if not (folder / RUN_FILE).is_file():
        return None
    run = read_run(folder)
    require_same(folder, run.data, run.seed, inputs.data, inputs.recipe.training.seed)
    return run


class Training(Trainer[list[Question], Run]):
    """A training on choices in progress."""

    METRIC = "mrr"
    RUN_FILE = RUN_FILE

    def __init__(self, inputs: Inputs, questions: ChoiceDataset, folder: Path, progress: Progress) -> None:
        super().__init__(inputs.recipe.training, inputs.precision, folder, progress)
        self.inputs = inputs
        self.questions = questions
        self.encoder: Encoder = load_trainable(inputs.located, inputs.precision)
        self.lora: Lora = choose_lora(self.encoder, inputs.recipe.lora, inputs.located.base.targets)
        self.adapted: PeftModel = add_lora(self.encoder, self.lora, self.settings.seed)
        if next(self.encoder.parameters()).device.type != self.device.type:
            self.encoder.to(self.device)
        self.begin(
            [parameter for parameter in self.adapted.parameters() if parameter.requires_grad], inputs.digest
        )
        if inputs.precision == "float32" and not self.lora.dropout and self.device.type == "cpu":
            fuse(self.adapted)
        count = self.settings.validation_items
        self.asked = [
            subsample(question, _VALIDATION_CANDIDATES, f"validation:{at}")
            for at, question in enumerate(spread(questions.validation, count))
        ]
        self.halves = self._halves()

    def _halves(self) -> FrozenLayerCache | None:
        """Return the split encoder, if possible, planned for all steps, however many are run."""
        settings, first = self.settings, min(self.lora.layers)
        if (
            not settings.cache
            or self.inputs.precision != "float32"
            or not FrozenLayerCache.possible(self.encoder, first)
        ):
            return None
        looks = settings.steps // self.validate + 1
        visits = (
            Counter(dict.fromkeys(contrastive_loss.texts_of(self.asked), looks)) if self.asked else Counter()
        )
        for batch in islice(self.batches(0), settings.steps):
            visits.update(contrastive_loss.texts_of(batch))
        halves = FrozenLayerCache(self.encoder, first, self.questions.tokens)
        halves.plan(visits, settings.cache)
        return halves

    def batches(self, start: int) -> Iterator[list[Question]]:
        settings = self.settings
        return batches(self.questions.training, settings.batch, settings.candidates, settings.seed, start)

    def loss(self, batch: list[Question]) -> torch.Tensor:
        _enable_dropout(self.adapted)
        texts = contrastive_loss.texts_of(batch)
        return contrastive_loss.loss(self._vectors(texts), texts, batch, self.settings.temperature)

    def metric(self) -> float | None:
        if not self.asked:
            return None
        self.adapted.eval()
        texts = contrastive_loss.texts_of(self.asked)
        with torch.no_grad():
            return contrastive_loss.mean_reciprocal_rank(self._vectors(texts), texts, self.asked)

    def tensors(self) -> dict[str, torch.Tensor]:
        return lora_weights(self.adapted)

    def set_tensors(self, tensors: Tensors) -> None:
        set_lora_weights(self.adapted, tensors)

    def write_result(self, weights: Tensors, kept: int, ended: Literal["steps", "minutes"]) -> Run:
        target = self.folder / LORA_FOLDER
        save_lora(self.adapted, weights, self.inputs.located.base.id, target)
        return _run(self.inputs, self.lora, self.position, ended, kept, target / WEIGHTS_FILE)

    def _vectors(self, texts: Sequence[int]) -> torch.Tensor:
        """Return the vectors of texts in order; computed by length, to minimise padding."""
        tokens = [self.questions.tokens[text] for text in texts]
        parts, locations = [], []
        for bucket in length_buckets([len(row) for row in tokens]):
            if self.halves is not None:
                parts.append(self.halves.vectors([texts[location] for location in bucket]))
            else:
                ids, mask = pad([tokens[location] for location in bucket], self.device)
                with self.computing():
                    parts.append(self.encoder(ids, mask).float())
            locations += bucket
        back = torch.argsort(torch.tensor(locations, device=self.device))
        return torch.cat(parts)[back]


def _run(
    inputs: Inputs,
    lora: Lora,
    position: Position,
    ended: Literal["steps", "minutes"],
    kept: int,
    weights: Path,
) -> Run:
    recipe, base = inputs.recipe, inputs.located.base
    return Run(
        schema="wardround.run/1",
        name=recipe.name,
        specialist=recipe.specialist,
        task=recipe.task,
        title=recipe.title,
        scope="" if recipe.data.own is None else recipe.data.own.repository,
        base=recipe.base,
        base_model=BaseModel(
            id=base.id, revision=base.revision, digest=inputs.located.digest, licence=base.licence
        ),
        window=inputs.window,
        marker_position=inputs.marker_position,
        lora=lora,
        data=inputs.data,
        seed=recipe.training.seed,
        steps=position.step,
        ended=ended,
        kept=kept,
        best=position.best,
        precision=inputs.precision,
        seconds=round(position.seconds, 1),
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        weights=hashlib.sha256(weights.read_bytes()).hexdigest(),
        versions={name: version(name) for name in _PACKAGES},
    )


def _enable_dropout(adapted: PeftModel) -> None:
    """Enable LoRA's own dropout; the base has none while its lower layers are cached."""
    adapted.eval()
    for name, module in adapted.named_modules():
        if "lora_dropout" in name:
            module.train()
