"""Train a text classifier: LoRA and a head, repeatable, resumable after a kill."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import torch
from torch.nn.functional import cross_entropy

from wardround.errors import TrainingError
from wardround.inference.metadata import BaseModel, Lora, TrainingData
from wardround.training_tasks import LabelledText
from wardround_lab.training.audit_guard import audited_data
from wardround_lab.training.base_model import Located, describe_base, locate, read_base
from wardround_lab.training.choice_dataset import spread
from wardround_lab.training.encoder import load_tokenizer
from wardround_lab.training.evaluate_shipped import text_task_of
from wardround_lab.training.length_batches import epoch_order
from wardround_lab.training.lora import add_lora, choose_lora, lora_weights, set_lora_weights
from wardround_lab.training.qlora import load_trainable
from wardround_lab.training.recipe import MarkerPosition
from wardround_lab.training.run_directory import BASE_FILE, RECIPE_FILE, require_same, write_atomically
from wardround_lab.training.text_classes.measures import macro_f1
from wardround_lab.training.text_classes.model import HEAD, TextClassifier, head_weights, set_head_weights
from wardround_lab.training.text_classes.recipe import TextRecipe, read_text_recipe
from wardround_lab.training.text_classes.samples import TextSides, sampled_sides
from wardround_lab.training.trainer import Precision, Progress, Tensors, Trainer, precision_of

if TYPE_CHECKING:
    from peft import PeftModel

RUN_FILE = "texts-run.json"
WEIGHTS_FILE = "texts.safetensors"
_PACKAGES = ("torch", "transformers", "peft", "tokenizers", "safetensors", "scikit-learn")


class EncodedText(msgspec.Struct, frozen=True):
    """A text as token ids, and the index of its class."""

    tokens: list[int]
    label: int


class TextRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """A finished training of a text classifier.

    Attributes:
        classes: classes of the head, in order.
        texts: number of texts on which the adapter was trained and the model over words was fitted.
        best: macro-F1 on validation of the selected weights.
        weights: SHA-256 of the file of LoRA and head.
    """

    schema: Literal["wardround.texts/1"]
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
    texts: tuple[int, int]
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


def read_text_run(folder: Path) -> TextRun:
    """Read the result of the training in a directory.

    Raises:
        TrainingError: it is not finished, or this is not such a directory.
    """
    file = folder / RUN_FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=TextRun)
    except FileNotFoundError as cause:
        raise TrainingError(
            f"{folder}: there is no finished training of texts here; run `wardround adapters train` first"
        ) from cause
    except (OSError, msgspec.MsgspecError) as cause:
        raise TrainingError(f"{file}: {cause}; train again") from cause


def train_texts(
    recipe_file: Path,
    folder: Path,
    *,
    seed: int | None = None,
    hub: bool = False,
    base_folder: Path | None = None,
    progress: Progress = lambda text: None,
) -> TextRun:
    """Train a recipe of texts; see ``wardround_lab.training.train.train``.

    Raises:
        TrainingError: the recipe, the records, their audit or the base is invalid.
    """
    recipe = read_text_recipe(recipe_file)
    if seed is not None:
        training = msgspec.structs.replace(recipe.training, seed=seed)
        recipe = msgspec.structs.replace(recipe, training=training)
    classes = text_task_of(recipe.task).classes
    progress("reading the base")
    base = read_base(recipe.base, recipe_file.parent)
    located = locate(base, hub=hub, folder=base_folder)
    progress("reading the records")
    sides = sampled_sides(recipe, recipe_file.parent)
    require_known_classes(sides, classes, recipe_file)
    data = audited_data(recipe_file, recipe.data, len(sides.training))
    if (folder / RUN_FILE).is_file():
        run = read_text_run(folder)
        require_same(folder, run.data, run.seed, data, recipe.training.seed)
        return run
    torch.set_num_threads(recipe.training.threads)
    write_atomically(folder / BASE_FILE, describe_base(base))
    write_atomically(folder / RECIPE_FILE, recipe_file.read_bytes())
    return TextTraining(recipe, located, data, classes, sides, folder, progress).run()


def require_known_classes(sides: TextSides, classes: Sequence[str], recipe_file: Path) -> None:
    """Require that each class of the task, and no other, occurs among the texts that are trained on.

    Raises:
        TrainingError: one is missing or unknown.
    """
    texts = [*sides.words, *sides.validation, *sides.evaluation]
    unknown = {text.label for text in texts} - set(classes)
    missing = set(classes) - {text.label for text in sides.training}
    if unknown or missing:
        label = min(unknown or missing)
        fault = "is not a class of the task" if unknown else "has no text to train on"
        raise TrainingError(f"{recipe_file}: {label!r} {fault}; mine the records again")


class TextTraining(Trainer[list[EncodedText], TextRun]):
    """A training of a text classifier in progress."""

    METRIC = "macro-f1"
    RUN_FILE = RUN_FILE

    def __init__(
        self, recipe: TextRecipe, located: Located, data: TrainingData, classes: Sequence[str],
        sides: TextSides, folder: Path, progress: Progress,
    ) -> None:  # fmt: skip
        super().__init__(recipe.training, precision_of(recipe.training), folder, progress)
        self.recipe, self.located, self.data, self.classes = recipe, located, data, tuple(classes)
        self.texts = (len(sides.training), len(sides.words))
        tokenizer = load_tokenizer(located, recipe.window, located.base.marker_position)

        def encode(texts: Sequence[LabelledText]) -> list[EncodedText]:
            rows = tokenizer.encode_batch([text.text for text in texts])
            return [
                EncodedText(row.ids, self.classes.index(text.label))
                for row, text in zip(rows, texts, strict=True)
            ]

        self.training = encode(sides.training)
        self.validation = encode(list(spread(sides.validation, self.settings.validation_items)))
        self.class_weights = _equal_weights([text.label for text in self.training], len(classes))
        encoder = load_trainable(located, self.precision)
        self.lora = choose_lora(encoder, recipe.lora, located.base.targets)
        self.adapted: PeftModel = add_lora(encoder, self.lora, self.settings.seed)
        self.model = TextClassifier(encoder, len(self.classes))
        self.model.to(self.device)
        self.class_weights = self.class_weights.to(self.device)
        self.begin([weight for weight in self.model.parameters() if weight.requires_grad], self._digest())

    def _digest(self) -> str:
        """Digest of all inputs of the weights except time limits."""
        free = msgspec.structs.replace(self.settings, max_minutes=0.0, checkpoint=1, threads=1)
        recipe = msgspec.structs.replace(self.recipe, training=free)
        parts = [msgspec.json.encode(part, order="deterministic") for part in (recipe, self.data.records)]
        return hashlib.sha256(b"\0".join([*parts, self.located.digest.encode()])).hexdigest()

    def batches(self, start: int) -> Iterator[list[EncodedText]]:
        size = self.settings.batch
        lengths = [len(text.tokens) for text in self.training]
        turn, place = divmod(start, max(1, len(self.training) // size))
        while True:
            order = epoch_order(lengths, size, self.settings.seed, turn)
            for first in range(place * size, len(order), size):
                yield [self.training[at] for at in order[first : first + size]]
            turn, place = turn + 1, 0

    def loss(self, batch: list[EncodedText]) -> torch.Tensor:
        self.model.eval()
        with self.computing():
            logits = self.model.classify([text.tokens for text in batch], self.device).float()
        labels = torch.tensor([text.label for text in batch], device=self.device)
        return cross_entropy(logits, labels, self.class_weights, label_smoothing=self.recipe.smoothing)

    def metric(self) -> float | None:
        """Return the macro-F1 of the validation texts."""
        if not self.validation:
            return None
        with torch.no_grad(), self.computing():
            logits = self.model.classify([text.tokens for text in self.validation], self.device)
        return macro_f1(
            [text.label for text in self.validation], logits.argmax(-1).tolist(), len(self.classes)
        )

    def tensors(self) -> dict[str, torch.Tensor]:
        return lora_weights(self.adapted) | head_weights(self.model)

    def set_tensors(self, tensors: Tensors) -> None:
        lora = {name: value for name, value in tensors.items() if not name.startswith(HEAD)}
        set_lora_weights(self.adapted, lora)
        set_head_weights(self.model, dict(tensors))

    def write_result(self, weights: Tensors, kept: int, ended: Literal["steps", "minutes"]) -> TextRun:
        from safetensors.torch import save

        content = save({name: value.cpu() for name, value in weights.items()})
        write_atomically(self.folder / WEIGHTS_FILE, content)
        return self._run(ended, kept, hashlib.sha256(content).hexdigest())

    def _run(self, ended: Literal["steps", "minutes"], kept: int, weights: str) -> TextRun:
        recipe, base = self.recipe, self.located.base
        return TextRun(
            schema="wardround.texts/1",
            name=recipe.name,
            specialist=recipe.specialist,
            task=recipe.task,
            title=recipe.title,
            base=recipe.base,
            base_model=BaseModel(
                id=base.id, revision=base.revision, digest=self.located.digest, licence=base.licence
            ),
            window=recipe.window,
            marker_position=base.marker_position,
            lora=self.lora,
            classes=self.classes,
            data=self.data,
            texts=self.texts,
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


def _equal_weights(labels: Sequence[int], classes: int) -> torch.Tensor:
    """Return the weight of a text by class, with which all classes count equally; 1 on average."""
    counts = torch.bincount(torch.tensor(labels), minlength=classes)
    return len(labels) / (classes * counts.float())
