"""How large a base is, and whether there is room for what is to be made of it, before it is begun."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.errors import TrainingError
from wardround_lab.training.base_model import Located
from wardround_lab.training.encoder import skeleton

if TYPE_CHECKING:
    from onnx import ModelProto

_FLOAT32 = 4
_EXPORTING = 4
"""Peak of an export, in sizes of the model in float32: with 1 and 2.3 GB measured, 3.2 to 3.9."""
_ONE_FILE = 2**31
"""Bytes of an ONNX graph that stands in one file, by protobuf's own limit."""
_MEMORY, _GROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")
_OTHERWISE = "use what `wardround adapters merge` writes, which transformers reads"


def require_memory(located: Located) -> None:
    """See that an ONNX graph of a base can be made here.

    Raises:
        TrainingError: it would take more memory than is free.
    """
    needed, free = _EXPORTING * _FLOAT32 * numbers(located), free_memory()
    if needed > free:
        raise TrainingError(
            f"{located.base.id}: making an ONNX graph of it takes about {needed / 1e9:.3g} GB of memory, and "
            f"{free / 1e9:.3g} GB are free; {_OTHERWISE}"
        )


def require_one_file(located: Located, *, int8: bool) -> None:
    """See that an ONNX graph with the weights of a base fits into one file.

    Raises:
        TrainingError: it does not.
    """
    count = numbers(located)
    size = count * (1 if int8 else _FLOAT32)
    if size >= _ONE_FILE:
        smaller = "export it with --int8, or " if not int8 and count < _ONE_FILE else ""
        raise TrainingError(
            f"{located.base.id}: its weights take {size / 1e9:.3g} GB so, and an ONNX file holds 2; "
            f"{smaller}{_OTHERWISE}"
        )


def require_writable(model: ModelProto) -> None:
    """See that a graph fits into one file with the tensors that stand in it.

    Raises:
        TrainingError: it does not.
    """
    size = sum(len(tensor.raw_data) for tensor in model.graph.initializer)
    if size >= _ONE_FILE:
        raise TrainingError(
            f"the trained layers take {size / 1e9:.3g} GB in eight bits, and an ONNX file holds 2; train "
            "fewer layers, or take a smaller base"
        )


def numbers(located: Located) -> int:
    """How many numbers the weights of a base are, from its configuration alone."""
    return sum(one.numel() for one in skeleton(located).parameters())


def free_memory() -> int:
    """Bytes that may still be taken: of the machine, or of the control group where that has less."""
    free = _available()
    try:
        allowed, taken = ((_GROUP / name).read_text("utf-8") for name in ("memory.max", "memory.current"))
        return min(free, int(allowed) - int(taken))
    except (OSError, ValueError):  # no control group, or one that has ``max``: no limit
        return free


def _available() -> int:
    """Bytes that the machine has left; all it has, where it does not say."""
    try:
        told = _MEMORY.read_text("utf-8")
    except OSError:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return int(told.partition("MemAvailable:")[2].split()[0]) * 1024
