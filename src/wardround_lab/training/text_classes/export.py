"""Convert a training of a text classifier to the shipped model: merged, fused with words, exported,
quantised.

The tensors that it shares with its base stay in the base's shared file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import torch

from wardround.errors import TrainingError
from wardround.inference.metadata import Metadata, PromotionState, write_metadata
from wardround.inference.text_classifier import TextClassifier as LoadedClassifier
from wardround.inference.tokenizer import TextTokenizer
from wardround.inference.verified_files import read_verified
from wardround.text.hashed_words import hashed_words
from wardround.training_tasks import LabelledText
from wardround_lab.training.base_model import Located, locate, read_base
from wardround_lab.training.bootstrap import Floats
from wardround_lab.training.checkpoint import read_tensors
from wardround_lab.training.choice_dataset import spread
from wardround_lab.training.encoder import load_encoder, load_tokenizer, silence_transformers
from wardround_lab.training.lora import add_lora, set_lora_weights
from wardround_lab.training.packaging import (
    MODEL_FILE,
    Shipped,
    add_tokenizer,
    base_metadata,
    plain_session,
    session,
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
from wardround_lab.training.shared_tensors import share_tensors, tensor_offsets
from wardround_lab.training.text_classes.fusion import FusedScore, fit_fusion, lowest_threshold
from wardround_lab.training.text_classes.model import (
    HEAD,
    ShippedClassifier,
    TextClassifier,
    export_classifier,
    set_head_weights,
)
from wardround_lab.training.text_classes.recipe import TextRecipe, read_text_recipe
from wardround_lab.training.text_classes.samples import TextSides, sampled_sides
from wardround_lab.training.text_classes.train import WEIGHTS_FILE, TextRun, read_text_run
from wardround_lab.training.text_classes.words import WordModel, fit_words
from wardround_lab.training.trainer import Progress

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from wardround.inference.onnx_session import Session

STATED = "stated"
"""The threshold from which a review states the class."""
_MEASURED = 48
"""Number of texts by which the steps are measured."""


@dataclass(frozen=True, slots=True)
class TrainedClassifier:
    """A finished training with its texts.

    Attributes:
        merged: the model with LoRA folded into its weights.
    """

    run: TextRun
    recipe: TextRecipe
    located: Located
    sides: TextSides
    tokenizer: Tokenizer
    merged: TextClassifier

    @classmethod
    def read(
        cls, folder: Path, recipe: TextRecipe, sides: TextSides, base_folder: Path | None
    ) -> TrainedClassifier:
        """Read the training in a directory.

        Raises:
            TrainingError: it is not finished, or its base has changed.
        """
        run = read_text_run(folder)
        located = locate(read_base(BASE_FILE, folder), folder=base_folder)
        if located.digest != run.base_model.digest:
            raise TrainingError(f"{located.folder}: it was trained on another base; find that one")
        require_memory(located)
        tokenizer = load_tokenizer(located, run.window, run.marker_position)
        merged = _model(run, folder, load_encoder(located), merge=True)
        return cls(run, recipe, located, sides, tokenizer, merged)

    def logits(self, model: TextClassifier, texts: Sequence[LabelledText]) -> Floats:
        """Return the logits of the adapter, without the fused words, shape (texts, classes)."""
        tokens = [row.ids for row in self.tokenizer.encode_batch([text.text for text in texts])]
        device = next(model.parameters()).device
        with torch.no_grad():
            found: Floats = model.classify(tokens, device).double().cpu().numpy()
        return found

    def words(self) -> WordModel:
        """Fit the linear model over words on the larger sample."""
        texts = self.sides.words
        penalty = self.recipe.words.inverse_penalty
        return fit_words([text.text for text in texts], self.labels(texts), len(self.run.classes), penalty)

    def labels(self, texts: Sequence[LabelledText]) -> list[int]:
        """Return the index of the class of each text."""
        return [self.run.classes.index(text.label) for text in texts]

    @property
    def parity_texts(self) -> list[LabelledText]:
        """The texts by which the steps of the export are measured."""
        return list(spread(self.sides.validation, _MEASURED))


def finish_texts(
    folder: Path, recipe_file: Path, base: Path, *, base_folder: Path | None = None, progress: Progress
) -> Shipped:
    """Merge, fuse with words, export and quantise the model of a training in ``model`` below the directory.

    Args:
        base: the directory of the shipped base, whose tensors are shared.

    Raises:
        TrainingError: the training is not finished, or its base has changed.
    """
    progress("merging")
    recipe = read_text_recipe(recipe_file)
    sides = sampled_sides(recipe, recipe_file.parent)
    trained = TrainedClassifier.read(folder, recipe, sides, base_folder)
    adapted = _model(trained.run, folder, load_trainable(trained.located, "float32"), merge=False)
    before, after = (trained.logits(model, trained.parity_texts) for model in (adapted, trained.merged))
    parity = [compare_outputs("merged", before, after)]
    progress("fitting words")
    words = trained.words()
    fused = _fit_fusion(trained, words)
    progress("exporting")
    shipped = ShippedClassifier(trained.merged.to("cpu"), words, fused)
    file = folder / ONNX_FOLDER / MODEL_FILE
    export_classifier(shipped, _inputs(trained.tokenizer, trained.parity_texts[0].text), file)
    expected = _expected_probabilities(trained, words, fused)
    exported = _probabilities(plain_session(file), trained)
    parity.append(compare_outputs("onnx-fp32", expected, exported))
    progress("quantising")
    metadata = _write_model(folder, trained, file, base)
    loaded = session(folder / MODEL_FOLDER, metadata, base)
    parity.append(compare_outputs("onnx-int8", exported, _probabilities(loaded, trained)))
    threshold = _threshold(loaded, trained, progress)
    metadata = msgspec.structs.replace(metadata, parity=tuple(parity), thresholds={STATED: threshold})
    return Shipped(folder / MODEL_FOLDER, write_metadata(folder / MODEL_FOLDER, metadata))


def classifier(loaded: Session, metadata: Metadata, tokenizer: bytes) -> LoadedClassifier:
    """Return a shipped model as a review runs it."""
    return LoadedClassifier(loaded, TextTokenizer(tokenizer, metadata.window), metadata.inputs)


def read_classifier(folder: Path, metadata: Metadata, base: Path) -> LoadedClassifier:
    """Load a shipped model, verified, as a review does.

    Raises:
        ModelError: a file does not match its metadata.
    """
    assert metadata.tokenizer is not None
    location = folder if (folder / metadata.tokenizer.name).is_file() else base
    return classifier(session(folder, metadata, base), metadata, read_verified(location, metadata.tokenizer))


def probabilities(model: LoadedClassifier, texts: Sequence[LabelledText], progress: Progress) -> Floats:
    """Return the probabilities of texts, shape (texts, classes), one text per run as in a review."""
    rows = []
    for number, text in enumerate(texts):
        if number % 500 == 0:
            progress(f"{number} of {len(texts)} texts")
        rows.append(model.probabilities(text.text))
    return np.array(rows, dtype=np.float64)


def _fit_fusion(trained: TrainedClassifier, words: WordModel) -> FusedScore:
    texts = trained.sides.validation
    own = trained.logits(trained.merged, texts)
    return fit_fusion(own, words.logits([text.text for text in texts]), trained.labels(texts))


def _threshold(loaded: Session, trained: TrainedClassifier, progress: Progress) -> float:
    """Return the threshold by the probabilities of the shipped file on validation."""
    texts = trained.sides.validation
    metadata_model = _classifier_of(loaded, trained)
    found = probabilities(metadata_model, texts, progress)
    return lowest_threshold(found, trained.labels(texts), trained.recipe.precision_wanted)


def _classifier_of(loaded: Session, trained: TrainedClassifier) -> LoadedClassifier:
    tokenizer = TextTokenizer(trained.tokenizer.to_str().encode(), trained.run.window)
    return LoadedClassifier(loaded, tokenizer, trained.run.classes)


def _probabilities(loaded: Session, trained: TrainedClassifier) -> Floats:
    return probabilities(_classifier_of(loaded, trained), trained.parity_texts, lambda text: None)


def _expected_probabilities(trained: TrainedClassifier, words: WordModel, fused: FusedScore) -> Floats:
    texts = trained.parity_texts
    own = trained.logits(trained.merged, texts)
    return fused.probabilities(own, words.logits([text.text for text in texts]))


def _inputs(tokenizer: Tokenizer, text: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    numbers, counts = hashed_words(text)
    ids = torch.tensor([tokenizer.encode(text).ids], dtype=torch.int64)
    return ids, torch.tensor(numbers, dtype=torch.int64), torch.tensor(counts, dtype=torch.float32)


def _write_model(folder: Path, trained: TrainedClassifier, exported: Path, base: Path) -> Metadata:
    """Write the quantised model next to its tokenizer and recipe, and return its metadata."""
    run, target = trained.run, folder / MODEL_FOLDER
    of_base = base_metadata(base, run.base_model, run.base)
    assert of_base.shares is not None
    model = quantise_weights(exported)
    tensors = share_tensors(model, tensor_offsets(read_verified(base, of_base.shares), of_base.shared))
    metadata = Metadata(
        schema="wardround.adapter/1", name=run.name, specialist=run.specialist, task=run.task,
        title=run.title, kind="texts", state=PromotionState.SHADOW, licence=run.base_model.licence,
        date=run.date, model=write_model(model, target),
        base=msgspec.structs.replace(run.base_model, shared=of_base.shares.sha256 if tensors else ""),
        window=run.window, shared=tensors, inputs=run.classes, lora=run.lora, data=run.data, seed=run.seed,
        seconds=run.seconds, reasons=("It was not evaluated; run `wardround adapters evaluate`.",),
    )  # fmt: skip
    metadata = add_tokenizer(metadata, trained.tokenizer, target, of_base)
    write_atomically(target / RECIPE_FILE, (folder / RECIPE_FILE).read_bytes())
    return write_metadata(target, metadata)


def _model(run: TextRun, folder: Path, encoder: Any, *, merge: bool) -> TextClassifier:
    file = folder / WEIGHTS_FILE
    weights = read_tensors(file)
    if hashlib.sha256(file.read_bytes()).hexdigest() != run.weights:
        raise TrainingError(f"{file}: these are not the weights that were trained here; train again")
    adapted: Any = add_lora(encoder, run.lora, 0)
    set_lora_weights(adapted, {name: value for name, value in weights.items() if not name.startswith(HEAD)})
    if merge:
        with silence_transformers():
            encoder.model = adapted.merge_and_unload()
    model = TextClassifier(encoder, len(run.classes))
    set_head_weights(model, weights)
    return model.to(next(encoder.parameters()).device).eval()
