"""Check the size of a base and the available memory before a training step starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.errors import TrainingError
from wardround_lab.training.base_model import Located
from wardround_lab.training.encoder import skeleton
from wardround_lab.training.free_memory import free_memory

if TYPE_CHECKING:
    from onnx import ModelProto

_FLOAT32 = 4
_EXPORTING = 4
"""Peak memory of an export, in multiples of the model's size in float32: with 1 and 2.3 GB measured, 3.2 to
3.9.
"""
_ONE_FILE = 2**31
"""Maximum size in bytes of an ONNX graph in one file, the limit of protobuf."""
_OTHERWISE = "use what `wardround adapters merge` writes, which transformers reads"


def require_memory(located: Located) -> None:
    """Require enough memory for the ONNX graph of a base.

    Raises:
        TrainingError: it would take more memory than is free.
    """
    require_bytes(located.base.id, "its ONNX export", _EXPORTING * _FLOAT32 * numbers(located), _OTHERWISE)


def require_bytes(identity: str, step: str, needed: int, advice: str, free: int | None = None) -> None:
    """Require enough free memory for a step.

    Args:
        identity: that of the base.
        needed: bytes.
        advice: what to do otherwise.
        free: bytes, if not those of the machine.

    Raises:
        TrainingError: there is less.
    """
    free = free_memory() if free is None else free
    if needed > free:
        raise TrainingError(
            f"{identity}: {step} takes about {needed / 1e9:.3g} GB of memory, and {free / 1e9:.3g} GB are "
            f"free; {advice}"
        )


def require_one_file(located: Located, *, int8: bool) -> None:
    """Require that an ONNX graph with the weights of a base fits into one file.

    Raises:
        TrainingError: it does not.
    """
    count = numbers(located)
    size = count * (1 if int8 else _FLOAT32)
    if size >= _ONE_FILE:
        smaller = "export it with --int8, or " if not int8 and count < _ONE_FILE else ""
        raise TrainingError(
            f"{located.base.id}: its weights take {size / 1e9:.3g} GB, and an ONNX file is limited to 2; "
            f"{smaller}{_OTHERWISE}"
        )


def require_writable(model: ModelProto) -> None:
    """Require that a graph fits into one file with its embedded tensors.

    Raises:
        TrainingError: it does not.
    """
    size = sum(len(tensor.raw_data) for tensor in model.graph.initializer)
    if size >= _ONE_FILE:
        raise TrainingError(
            f"the trained layers take {size / 1e9:.3g} GB in eight bits, and an ONNX file is limited to 2; "
            "train fewer layers, or use a smaller base"
        )


def numbers(located: Located) -> int:
    """Return the number of parameters of a base, only from its configuration."""
    return sum(parameter.numel() for parameter in skeleton(located).parameters())
