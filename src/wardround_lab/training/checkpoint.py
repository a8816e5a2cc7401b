"""The state of an unfinished training in one file that is replaced atomically and contains tensors only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import torch

from wardround.errors import TrainingError
from wardround_lab.training.run_directory import CHECKPOINT_FILE, write_atomically


class Position(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The position of a training.

    Attributes:
        inputs: digest of all inputs of the weights; a checkpoint of other inputs is rejected.
        step: completed steps.
        seconds: wall time so far.
        kept: the step of the best weights so far; 0 before the first validation.
        best: their metric.
    """

    inputs: str
    step: int
    seconds: float
    kept: int
    best: float | None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A position with its tensors.

    Attributes:
        lora, best: LoRA weights by name: of this step, and the best so far (none before the first
            validation).
        optimiser: its state by position of the weight and name.
        random: the state of torch's generator.
    """

    position: Position
    lora: Mapping[str, torch.Tensor]
    best: Mapping[str, torch.Tensor]
    optimiser: Mapping[str, torch.Tensor]
    random: torch.Tensor


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """Return the state of an optimiser as tensors by name."""
    state: dict[int, dict[str, torch.Tensor]] = optimiser.state_dict()["state"]
    return {f"{location}.{name}": value for location, parts in state.items() for name, value in parts.items()}


def set_optimiser_tensors(optimiser: torch.optim.Optimizer, tensors: Mapping[str, torch.Tensor]) -> None:
    """Restore the state of an optimiser."""
    complete: dict[str, Any] = optimiser.state_dict()
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in tensors.items():
        location, _, part = name.partition(".")
        state.setdefault(int(location), {})[part] = value
    optimiser.load_state_dict({**complete, "state": state})


def write_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Replace the checkpoint of a directory atomically, so that the old or the new one is always complete."""
    from safetensors.torch import save

    parts = {"lora": checkpoint.lora, "best": checkpoint.best, "optimiser": checkpoint.optimiser}
    tensors = {f"{part}/{name}": value for part, named in parts.items() for name, value in named.items()}
    tensors = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    tensors["random"] = checkpoint.random
    header = {"position": msgspec.json.encode(checkpoint.position).decode()}
    write_atomically(folder / CHECKPOINT_FILE, save(tensors, header))


def read_tensors(file: Path) -> dict[str, torch.Tensor]:
    """Read the tensors of a file of weights, a format without code.

    Raises:
        TrainingError: it cannot be read, or is damaged.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(str(file))
    except (OSError, SafetensorError) as cause:
        raise TrainingError(f"{file}: {cause}; train again") from cause


def read_checkpoint(folder: Path) -> Checkpoint | None:
    """Read the checkpoint of a directory; None if there is none.

    Raises:
        TrainingError: it is damaged.
    """
    from safetensors import SafetensorError, safe_open

    file = folder / CHECKPOINT_FILE
    if not file.exists():
        return None
    parts: dict[str, dict[str, torch.Tensor]] = {"lora": {}, "best": {}, "optimiser": {}}
    try:
        with safe_open(str(file), framework="pt") as opened:
            position = msgspec.json.decode((opened.metadata() or {})["position"], type=Position)
            random = opened.get_tensor("random")
            for name in opened.keys():  # noqa: SIM118  (no mapping)
                part, _, inner = name.partition("/")
                if inner:
                    parts[part][inner] = opened.get_tensor(name)
    except (OSError, SafetensorError, KeyError, msgspec.MsgspecError) as cause:
        raise TrainingError(f"{file}: it is damaged; delete it to start again") from cause
    return Checkpoint(position, parts["lora"], parts["best"], parts["optimiser"], random)
