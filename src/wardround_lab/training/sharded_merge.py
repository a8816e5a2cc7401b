"""Merge LoRA weights into the files of a base one tensor at a time, for a base of any size.

The files keep their number format and layout, so a merged file is a copy that differs in the bytes of the
trained weights. A weight is merged in float32 and rounded once, to the format of its file.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch

from wardround.errors import TrainingError
from wardround.inference.metadata import Lora
from wardround_lab.training.base_model import Located, shards
from wardround_lab.training.run_directory import write_atomically

_LENGTH = 8
"""Number of bytes of the header's length at the start of a file."""
_FLOATS = ("F32", "F16", "BF16")
_ADAPTED, _DOWN, _UP = "base_model.model.", ".lora_A.weight", ".lora_B.weight"
_WITHIN = "model."
"""Prefix of the decoder in the published files of most text generation models."""


@dataclass(frozen=True, slots=True)
class TensorLocation:
    """The location of a tensor in a file, in bytes from its start."""

    kind: str
    start: int


def merge_shards(located: Located, lora: Lora, weights: Mapping[str, torch.Tensor], folder: Path) -> None:
    """Write a base with merged LoRA weights to a directory in transformers' format, without a tokenizer.

    Args:
        weights: LoRA's, by the names in the file of an adapter.

    Raises:
        TrainingError: the files lack a trained weight, or it is not in floating point; or the directory
            cannot be written.
    """
    names = shards(located.folder, located.base.weights)
    locations = {name: _tensor_locations(located.folder / name) for name in names}
    trained = _trained_layers(locations, weights, located)
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        half = folder / f"{name}.half"
        try:
            shutil.copyfile(located.folder / name, half)
            _fold(half, located.folder / name, locations[name], trained, lora, weights)
            half.replace(folder / name)
        except OSError as cause:
            raise TrainingError(
                f"{half}: {cause.strerror}; free space, or choose another directory"
            ) from cause
    for name in ("config.json", located.base.weights):
        if name not in names:
            write_atomically(folder / name, (located.folder / name).read_bytes())


def _fold(
    target: Path,
    source: Path,
    places: Mapping[str, TensorLocation],
    trained: Mapping[str, str],
    lora: Lora,
    weights: Mapping[str, torch.Tensor],
) -> None:
    """Replace the base's weights in one file by the merged ones."""
    from safetensors import safe_open

    scale = lora.alpha / lora.rank
    with safe_open(str(source), framework="pt") as shard, target.open("r+b") as file:
        for name in sorted(places.keys() & trained.keys()):
            weight: torch.Tensor = shard.get_tensor(name)
            down, up = (weights[f"{_ADAPTED}{trained[name]}{end}"].float() for end in (_DOWN, _UP))
            folded = torch.addmm(weight.float(), up, down, alpha=scale).to(weight.dtype)
            file.seek(places[name].start)
            folded.view(torch.uint8).numpy().tofile(file)


def _tensor_locations(file: Path) -> dict[str, TensorLocation]:
    """Return the location of each tensor from the header, which the library has validated."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(file), framework="pt"), file.open("rb") as stream:
            length = int.from_bytes(stream.read(_LENGTH), "little")
            header = json.loads(stream.read(length))
    except (OSError, SafetensorError) as cause:
        raise TrainingError(f"{file}: {cause}; download the file again") from cause
    header.pop("__metadata__", None)
    begun = _LENGTH + length
    return {
        name: TensorLocation(reported["dtype"], begun + reported["data_offsets"][0])
        for name, reported in header.items()
    }


def _trained_layers(
    places: Mapping[str, Mapping[str, TensorLocation]], weights: Mapping[str, torch.Tensor], located: Located
) -> dict[str, str]:
    """Name of a weight in the files -> name of the trained layer."""
    kinds = {name: location.kind for file in places.values() for name, location in file.items()}
    found = {}
    for layer in sorted(name[len(_ADAPTED) : -len(_DOWN)] for name in weights if name.endswith(_DOWN)):
        name = next(
            (
                weight_name
                for weight_name in (f"{layer}.weight", f"{_WITHIN}{layer}.weight")
                if weight_name in kinds
            ),
            None,
        )
        if name is None or kinds[name] not in _FLOATS:
            kind = "not there" if name is None else f"of {kinds[name]}"
            raise TrainingError(
                f"{located.folder}: the weight of {layer} is {kind}; use the published "
                f"files of {located.base.id}"
            )
        found[name] = layer
    return found
