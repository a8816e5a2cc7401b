"""Export the same model with optimum, for comparison with our own export."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wardround_lab.training.encoder import silence_transformers
from wardround_lab.training.onnx_export import OPSET
from wardround_lab.training.parity import Floats


def vectors(merged: Path, pooling: str, texts: Sequence[Sequence[int]]) -> Floats:
    """Return vectors of length 1 of texts, shape (texts, dimensions), by optimum's graph and pooling.

    Args:
        merged: a model's directory in transformers' format.
    """
    import onnxruntime
    from optimum.exporters.onnx import main_export

    with tempfile.TemporaryDirectory(prefix="wardround-") as scratch:
        with silence_transformers():
            main_export(str(merged), scratch, task="feature-extraction", opset=OPSET, do_validation=False)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        file = str(Path(scratch) / "model.onnx")
        session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        expected = [tensor.name for tensor in session.get_inputs()]
        return np.stack(
            [_vector(session.run(None, _inputs(expected, text))[0][0], pooling) for text in texts]
        )


def _inputs(expected: Sequence[str], tokens: Sequence[int]) -> dict[str, object]:
    ids = np.array([list(tokens)], dtype=np.int64)
    known = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
        "position_ids": np.arange(ids.shape[1], dtype=np.int64)[None],
    }
    return {name: known[name] for name in expected}


def _vector(hidden: Floats, pooling: str) -> Floats:
    vector: Floats = hidden.mean(0) if pooling == "mean" else hidden[-1]
    return vector / np.float32(np.linalg.norm(vector))
