"""A real model created on the fly: the mean of its words' vectors, which separate three topics."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from wardround.inference.metadata import File, Metadata, PromotionState, write_metadata

SUBJECTS = (
    ("login", "sign", "in", "password", "form", "visitors", "authenticate"),
    ("basket", "total", "price", "count", "lines"),
    ("mail", "smtp", "receipt", "address"),
)


def write_model(folder: Path) -> str:
    """Write an embedder named ``base`` and return the SHA-256 of its ONNX file."""
    folder.mkdir(parents=True)
    vocabulary = {"[UNK]": 0} | {w: n for n, w in enumerate((w for s in SUBJECTS for w in s), 1)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Punctuation(), pre_tokenizers.Whitespace()]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    rows = [[0.0, 0.0, 0.0, 0.1]]
    rows += [[*(float(s is t) for t in SUBJECTS), 0.1] for s in SUBJECTS for _ in s]
    table = numpy_helper.from_array(np.array(rows, np.float32), "table")
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["each"]),
            helper.make_node("ReduceMean", ["each"], ["embedding"], axes=[1], keepdims=0),
        ],
        "words",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, 4])],
        [table],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    described = _file(folder, "model.onnx")
    write_metadata(
        folder,
        Metadata(
            schema="wardround.adapter/1", name="base", specialist="", task="", kind="embedder",
            state=PromotionState.SHADOW, licence="MIT", date="2026-01-01", model=described,
            tokenizer=_file(folder, "tokenizer.json"), window=64,
        ),
    )  # fmt: skip
    return described.sha256


def _file(folder: Path, name: str) -> File:
    content = (folder / name).read_bytes()
    return File(name=name, sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))
