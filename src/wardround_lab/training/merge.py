"""Merge LoRA weights into the base: the result differs from the base in the trained layers only."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from wardround.errors import TrainingError
from wardround.inference.locations import METADATA_FILE, package_folder
from wardround.inference.metadata import BaseModel, Lora, Metadata, read_metadata
from wardround.inference.registry import ModelEntry
from wardround.inference.verified_files import read_verified
from wardround_lab.training.base_model import Base, Located, base_of_id, locate, read_base
from wardround_lab.training.encoder import (
    Encoder,
    load_encoder,
    load_from_disk,
    load_tokenizer,
    silence_transformers,
)
from wardround_lab.training.lora import (
    WEIGHTS_FILE,
    add_lora,
    layer_of,
    linear_layers,
    read_lora,
    set_lora_weights,
)
from wardround_lab.training.qlora import load_trainable
from wardround_lab.training.run_directory import BASE_FILE, LORA_FOLDER, RUN_FILE, Run, read_run
from wardround_lab.training.sharded_merge import merge_shards

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A loaded adapter: its base, its weights, and its tokenizer.

    Attributes:
        about: its training, or its model.
        base: the description of the base there.
        digest: SHA-256 of the file of its weights, as trained.
    """

    located: Located
    lora: Lora
    weights: Mapping[str, torch.Tensor]
    tokenizer: Tokenizer
    about: Run | Metadata
    base: BaseModel
    digest: str

    def load_adapted(self) -> Encoder:
        """Return the base with separate LoRA weights, as it was trained."""
        encoder = load_trainable(self.located, "float32")
        set_lora_weights(add_lora(encoder, self.lora, 0), self.weights)
        return encoder.eval()

    def load_merged(self) -> Encoder:
        """Return the base with merged LoRA weights, in float32.

        Raises:
            TrainingError: a layer that was not trained has changed.
        """
        encoder = load_encoder(self.located)
        before = {name: value.clone() for name, value in encoder.model.state_dict().items()}
        trained = {f"{name}.weight" for name in linear_layers(encoder, self.lora)}
        adapted: Any = add_lora(encoder, self.lora, 0)
        set_lora_weights(adapted, self.weights)
        with silence_transformers():
            encoder.model = adapted.merge_and_unload()
        _require_frozen_weights(before, encoder.model.state_dict(), trained, self.lora)
        return encoder.eval()

    def write_merged(self, folder: Path) -> Encoder:
        """Write the merged model with its tokenizer in transformers' format; return the encoder of the
        result.

        A base in four bits exceeds the memory, so neither its merge nor its encoder loads it completely. The
        weights of its files are merged, not their four-bit approximation.

        Raises:
            TrainingError: it is the base's own directory, or it cannot be written.
        """
        if folder.resolve() == self.located.folder.resolve():
            raise TrainingError(f"{folder} is the base, which is read-only; choose another --out")
        if self.located.base.four_bit:
            merge_shards(self.located, self.lora, self.weights, folder)
            merged = load_from_disk(replace(self.located, folder=folder))
        else:
            merged = self.load_merged()
            folder.mkdir(parents=True, exist_ok=True)
            with silence_transformers():
                merged.model.save_pretrained(str(folder))  # type: ignore[operator]
        self.tokenizer.save(str(folder / "tokenizer.json"))
        return merged


def read_trained(folder: Path, *, base_folder: Path | None = None) -> Trained:
    """Read the adapter of a finished training, or of a model that was built from one.

    Args:
        base_folder: directory of the base's files, if not that of its description.

    Raises:
        TrainingError: there is none, or its weights or its base are not those of the training.
        ModelError: a file of the model does not match its metadata.
    """
    if is_model(folder):
        return _trained_from_model(folder, base_folder)
    run = read_run(folder)
    file = folder / LORA_FOLDER / WEIGHTS_FILE
    try:
        content = file.read_bytes()
    except OSError as cause:
        raise TrainingError(f"{file}: {cause.strerror}; train the adapter again") from cause
    if hashlib.sha256(content).hexdigest() != run.weights:
        raise TrainingError(f"{file}: these are not the weights that were trained here; train again")
    located = _locate_base(read_base(BASE_FILE, folder), run.base_model.digest, base_folder)
    tokenizer = load_tokenizer(located, run.window, run.marker_position)
    weights = read_lora(file, content)
    return Trained(located, run.lora, weights, tokenizer, run, run.base_model, run.weights)


def adapter_folder(name: str) -> Path:
    """Return the directory of a training or a model, or that of the bundled model of this name."""
    folder, own = Path(name), package_folder()
    there = any((folder / file).is_file() for file in (RUN_FILE, METADATA_FILE))
    if there or own is None or not (own / name / METADATA_FILE).is_file():
        return folder
    return own / name


def is_model(folder: Path) -> bool:
    """Return True if a directory is that of a model, into which no step of a training may write."""
    return not (folder / RUN_FILE).is_file() and (folder / METADATA_FILE).is_file()


def _trained_from_model(folder: Path, base_folder: Path | None) -> Trained:
    metadata = read_metadata(folder)
    if metadata.base is None or metadata.lora is None:
        raise TrainingError(f"{folder}: this model has no LoRA weights, so there is nothing to merge")
    file = next((part for part in metadata.files if part.name == WEIGHTS_FILE), None)
    if file is None:
        raise TrainingError(
            f"{folder / WEIGHTS_FILE} has no digest in {METADATA_FILE}, so it must not be used; "
            "build the model again with `wardround adapters quantise`"
        )
    entry = ModelEntry(folder, metadata)
    if not entry.is_built:
        raise TrainingError(f"{folder}: this model is not built; run `{entry.build_command}`")
    weights = read_lora(folder / WEIGHTS_FILE, read_verified(folder, file))
    base = base_of_id(metadata.base.id)
    located = _locate_base(base, metadata.base.digest, base_folder)
    tokenizer = load_tokenizer(located, metadata.window, base.marker_position)
    return Trained(located, metadata.lora, weights, tokenizer, metadata, metadata.base, file.sha256)


def _locate_base(base: Base, digest: str, folder: Path | None) -> Located:
    located = locate(base, folder=folder)
    if located.digest != digest:
        raise TrainingError(
            f"{located.folder}: the base has digest {located.digest[:12]}…, but the adapter was trained on "
            f"{digest[:12]}…; find that one"
        )
    return located


def _require_frozen_weights(
    before: Mapping[str, torch.Tensor], after: Mapping[str, torch.Tensor], trained: set[str], lora: Lora
) -> None:
    """Require that only the weights of the trained layers changed."""
    if before.keys() != after.keys():
        raise TrainingError("merging changed the names of weights; use the peft version of the `train` extra")
    for name, value in after.items():
        may_differ = name in trained and layer_of(name) in lora.layers
        if not may_differ and not torch.equal(value, before[name]):
            raise TrainingError(
                f"merging changed {name}, which was not trained; use the peft version of `train`"
            )
