"""Export a model as an ONNX graph: token ids of one text in, a vector of length 1 out.

The graph has one input, ``input_ids`` of shape (texts, tokens), and one output, ``embedding`` of shape
(texts, dimensions). Without padding, texts are run one at a time, or several of the same length.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from wardround.errors import TrainingError
from wardround_lab.training.encoder import Encoder, silence_transformers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

INPUT = "input_ids"
OUTPUT = "embedding"
OPSET = 18


class UnpaddedEncoder(nn.Module):
    """An encoder of texts without padding."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        vectors: torch.Tensor = self.encoder(input_ids, torch.ones_like(input_ids))
        return vectors


@contextmanager
def float32_graph(encoder: Encoder, tokens: Sequence[int], beside: Path) -> Iterator[Path]:
    """Context manager of a temporary ONNX file of an encoder.

    Above 2 GB its weights are in separate files, so it has a separate directory.
    """
    beside.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".float32-", dir=beside) as scratch:
        file = Path(scratch) / "float32.onnx"
        export_onnx(encoder, tokens, file)
        yield file


def export_onnx(encoder: Encoder, tokens: Sequence[int], file: Path) -> None:
    """Write an encoder as an ONNX file in float32; above 2 GB its weights are in separate files.

    Args:
        tokens: token ids of some text, to trace the computation.

    Raises:
        TrainingError: ONNX does not support an operation of the model.
    """
    ids = torch.tensor([list(tokens), list(tokens)], dtype=torch.int64)
    axes = {INPUT: {0: "texts", 1: "tokens"}, OUTPUT: {0: "texts"}}
    write_graph(UnpaddedEncoder(encoder), {INPUT: ids}, OUTPUT, axes, file)


def write_graph(
    model: nn.Module,
    inputs: Mapping[str, torch.Tensor],
    output: str,
    axes: Mapping[str, Mapping[int, str]],
    file: Path,
) -> None:
    """Write a module with one output as an ONNX file, atomically.

    Args:
        inputs: name -> value to trace the computation with, in the order of its arguments.
        axes: name of an input or of the output -> its open dimensions, each with a name.

    Raises:
        TrainingError: ONNX does not support an operation of the model.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_name(f"{file.name}.half")
    open_axes: Any = {name: dict(dimensions) for name, dimensions in axes.items()}
    with silence_transformers(), torch.no_grad():
        try:
            torch.onnx.export(
                model.eval(), tuple(inputs.values()), str(half), dynamo=False, opset_version=OPSET,
                input_names=list(inputs), output_names=[output], do_constant_folding=True,
                dynamic_axes=open_axes,
            )  # fmt: skip
        except (RuntimeError, torch.onnx.errors.OnnxExporterError) as cause:
            what = " ".join(str(cause).split())[:300]
            raise TrainingError(f"the model cannot be written as ONNX: {what}") from cause
    half.replace(file)
