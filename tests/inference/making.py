"""Small real models, made on the spot: an embedder in eight bits that shares tensors, and a linear table."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from wardround.inference.locations import RECIPE_FILE
from wardround.inference.metadata import (
    SCHEMA,
    BaseModel,
    Calibration,
    Evaluation,
    File,
    Fusion,
    HumanReview,
    Improvement,
    Interval,
    Metadata,
    PromotionState,
    SharedTensor,
    TrainingData,
    read_metadata,
    write_metadata,
)
from wardround.text.hashed_words import BUCKETS
from wardround.text.task_kinds import KINDS

WORDS = ("read", "write", "file", "cache", "key", "value", "open", "close", "the", "a", "of", "path")
WIDTH, INNER = 16, 256
WINDOW = 12
INPUTS = ("overlap", "length", "age")


def file_of(folder: Path, name: str) -> File:
    """The entry of a file in the metadata."""
    content = (folder / name).read_bytes()
    return File(name=name, sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))


def tokenizer_json() -> bytes:
    """A word tokenizer with markers on both ends."""
    vocabulary = {word: number for number, word in enumerate(("[UNK]", "[CLS]", "[SEP]", *WORDS))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return tokenizer.to_str().encode()


def encoder(seed: int = 0) -> onnx.ModelProto:
    """Token ids -> the mean of a two-layer network's outputs, of length 1; weights in eight bits."""
    draw = np.random.default_rng(seed)

    def drawn(*shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        return draw.normal(size=shape).astype(np.float32)

    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["tokens"]),
        helper.make_node("MatMul", ["tokens", "up"], ["wide"]),
        helper.make_node("Tanh", ["wide"], ["bent"]),
        helper.make_node("MatMul", ["bent", "down"], ["narrow"]),
        helper.make_node("ReduceMean", ["narrow", "axis"], ["mean"], keepdims=0),
        helper.make_node("ReduceL2", ["mean", "axis"], ["length"], keepdims=1),
        helper.make_node("Div", ["mean", "length"], ["embedding"]),
    ]
    constants = [
        numpy_helper.from_array(drawn(len(WORDS) + 3, WIDTH), "words"),
        numpy_helper.from_array(drawn(WIDTH, INNER), "up"),
        numpy_helper.from_array(drawn(INNER, WIDTH), "down"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "axis"),
    ]
    graph = helper.make_graph(
        nodes,
        "encoder",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["texts", WIDTH])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    with tempfile.TemporaryDirectory() as scratch:
        plain, small = Path(scratch, "plain.onnx"), Path(scratch, "small.onnx")
        onnx.save(model, plain)
        quantize_dynamic(
            plain,
            small,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            op_types_to_quantize=["MatMul"],
            extra_options={"MatMulConstBOnly": True},
        )
        return onnx.load(small)


def share(model: onnx.ModelProto, names: Mapping[str, int]) -> tuple[bytes, tuple[SharedTensor, ...]]:
    """Move initializers out of a graph.

    Args:
        names: names of the moved tensors, with their offsets.
    """
    content = bytearray()
    found = []
    for tensor in model.graph.initializer:
        if tensor.name not in names:
            continue
        value, offset = numpy_helper.to_array(tensor), names[tensor.name]
        content[offset:] = bytes(max(0, offset - len(content)))
        content += value.tobytes()
        tensor.ClearField("raw_data")
        point_to(tensor, "shared.bin", offset, value.nbytes)
        found.append(SharedTensor(name=tensor.name, offset=offset, dtype=str(value.dtype), shape=value.shape))
    return bytes(content), tuple(found)


def point_to(tensor: onnx.TensorProto, location: str, offset: int, length: int) -> None:
    """State that a tensor's data is in a file."""
    tensor.data_location = TensorProto.EXTERNAL
    del tensor.external_data[:]
    for key, value in (("location", location), ("offset", str(offset)), ("length", str(length))):
        tensor.external_data.add(key=key, value=value)


SHARED_TENSORS = {"words": 0, "up_quantized": 1024}


def make_base(folder: Path, name: str = "base", **changes: Any) -> Path:
    """A base whose word vectors and first layer are in its shared file."""
    folder.mkdir(parents=True, exist_ok=True)
    model = encoder()
    content, tensors = share(model, SHARED_TENSORS)
    (folder / "shared.bin").write_bytes(content)
    (folder / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    (folder / "tokenizer.json").write_bytes(tokenizer_json())
    _write(
        folder, name, _base_of(folder), changes | {"shared": tensors, "shares": file_of(folder, "shared.bin")}
    )
    return folder


def make_adapter(folder: Path, base: Path, name: str = "adapter", **changes: Any) -> Path:
    """An adapter of a base: its last layer is another, the rest it shares; the tokenizer is the base's."""
    folder.mkdir(parents=True, exist_ok=True)
    model, other = encoder(), encoder(seed=1)
    own = {tensor.name: tensor for tensor in other.graph.initializer if tensor.name.startswith("down")}
    for tensor in model.graph.initializer:
        if tensor.name in own:
            tensor.CopyFrom(own[tensor.name])
    _, tensors = share(model, SHARED_TENSORS)
    (folder / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    known = read_metadata(base)
    _write(folder, name, known.base, {"tokenizer": known.tokenizer, "shared": tensors, **changes})
    return folder


def make_table(
    folder: Path, name: str = "table", weights: tuple[float, ...] = (2.0, -1.0, 0.5), **changes: Any
) -> Path:
    """A weighted sum of three numbers, as log-odds; it may report from a probability of 0.9."""
    folder.mkdir(parents=True, exist_ok=True)
    column = np.array(weights, dtype=np.float32).reshape(-1, 1)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["features", "weights"], ["score"])],
        "table",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, len(weights)])],
        [helper.make_tensor_value_info("score", TensorProto.FLOAT, [None, 1])],
        [numpy_helper.from_array(column, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    (folder / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    standard = {
        "kind": "table", "inputs": INPUTS, "window": 0, "tokenizer": None, "state": PromotionState.REPORT,
        "thresholds": {"report": 0.9}, "alarm_rate": 0.01,
    }  # fmt: skip
    _write(folder, name, None, standard | changes)
    return folder


CLASS_WORDS = {"crash": "bug", "support": "feature", "extract": "refactoring", "typo": "documentation"}
"""Words that a made classifier knows -> the class that each states."""


def make_text_classifier(folder: Path, name: str = "task_kind", **changes: Any) -> Path:
    """A linear model over hashed words and a softmax: one of its words alone gives its class 0.99."""
    folder.mkdir(parents=True, exist_ok=True)
    table = np.zeros((BUCKETS, len(KINDS)), dtype=np.float32)
    for word, kind in CLASS_WORDS.items():
        table[crc32(word.encode()) % BUCKETS, KINDS.index(kind)] = 7.0
    nodes = [
        helper.make_node("Gather", ["table", "words"], ["rows"]),
        helper.make_node("Unsqueeze", ["counts", "last"], ["column"]),
        helper.make_node("Mul", ["rows", "column"], ["weighted"]),
        helper.make_node("ReduceSum", ["weighted", "first"], ["logits"], keepdims=1),
        helper.make_node("Softmax", ["logits"], ["probabilities"], axis=-1),
        helper.make_node("Cast", ["input_ids"], ["unused"], to=TensorProto.FLOAT),
    ]
    graph = helper.make_graph(
        nodes,
        "texts",
        [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"]),
            helper.make_tensor_value_info("words", TensorProto.INT64, ["features"]),
            helper.make_tensor_value_info("counts", TensorProto.FLOAT, ["features"]),
        ],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [1, len(KINDS)])],
        [
            numpy_helper.from_array(table, "table"),
            numpy_helper.from_array(np.array([1], dtype=np.int64), "last"),
            numpy_helper.from_array(np.array([0], dtype=np.int64), "first"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    (folder / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    (folder / "tokenizer.json").write_bytes(tokenizer_json())
    standard = {
        "kind": "texts", "inputs": KINDS, "task": "kind", "thresholds": {"stated": 0.9},
        "base": BaseModel(id="tests/words", revision="0" * 40, digest="0" * 64, licence="MIT"),
        "fusion": None,
    }  # fmt: skip
    _write(folder, name, None, standard | changes)
    return folder


_SUBJECTS = {
    "embedder": ("cheap+adapter", "mrr", ("cheap", "base", "cheap+base")),
    "table": ("model", "auc", ("cheap",)),
    "texts": ("model", "macro-f1", ("cheap", "words", "base", "size")),
}
"""Kind -> the subject of the measurement, its metric, and its baseline."""


def earned(kind: str, model: File) -> dict[str, Any]:
    """An evaluation of a model file and a calibration that meet all requirements."""
    subject, metric, rivals = _SUBJECTS[kind]
    some = Interval(value=0.1, low=0.05, high=0.15)
    evaluation = Evaluation(
        repositories=tuple(f"new/r{number}" for number in range(8)), since=2000, items=1000, base_rate=0.5,
        metrics={name: {metric: some} for name in (subject, *rivals)},
        gains=tuple(
            Improvement(of=subject, over=over, metric=metric, seed=seed, gain=some)
            for over in rivals
            for seed in (0, 1)
        ),
        controls={"placebo": Interval(value=0.0, low=-0.01, high=0.01)}, leaks=0,
        exempt={"size": "all are of one size"}, models={"0": model.sha256, "1": "1" * 64},
        read=HumanReview(items=60, right=60, note="one reader"),
    )  # fmt: skip
    data = TrainingData(
        recipe="2" * 64, records="3" * 64, repositories=("old/r0",), items=100, until=1000, audit="passed"
    )
    calibration = Calibration(
        method="platt", slope=1.0, bias=0.0, items=100, model=model.sha256, repositories=("cal/a",),
        checked=("cal/b",), base_rate=0.5, error=0.01, brier=0.1,
    )  # fmt: skip
    return {"evaluation": evaluation, "data": data, "calibration": calibration}


def renew(folder: Path, **changes: Any) -> None:
    """Write the metadata anew, measured again, with the digests of the files as they are now."""
    known = read_metadata(folder)
    model = file_of(folder, known.model.name)
    measured = {} if known.shares is not None else earned(known.kind, model)
    write_metadata(folder, msgspec.structs.replace(known, **{"model": model, **measured, **changes}))


def unbuild(folder: Path) -> Path:
    """Leave the metadata of a model and a recipe, as for a model whose weights are not kept; the recipe."""
    recipe, known = folder / RECIPE_FILE, read_metadata(folder)
    recipe.write_text("kind: choice\n")
    assert known.data is not None
    digest = hashlib.sha256(recipe.read_bytes()).hexdigest()
    write_metadata(
        folder, msgspec.structs.replace(known, data=msgspec.structs.replace(known.data, recipe=digest))
    )
    (folder / known.model.name).unlink()
    return recipe


def altered(folder: Path, change: Any) -> None:
    """Modify a graph and its metadata consistently, as an attacker would."""
    model = onnx.load(folder / "model.onnx", load_external_data=False)
    change(model)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    renew(folder)


def flip(file: Path, place: int = -1) -> None:
    """Change one bit of a file."""
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(bytes(content))


def _base_of(folder: Path) -> BaseModel:
    shared = file_of(folder, "shared.bin").sha256
    return BaseModel(id="tests/words", revision="0" * 40, digest="0" * 64, licence="MIT", shared=shared)


def _write(folder: Path, name: str, base: BaseModel | None, changes: Mapping[str, Any]) -> None:
    values: dict[str, Any] = {
        "schema": SCHEMA, "name": name, "specialist": "words", "task": "test", "kind": "embedder",
        "state": PromotionState.RANK, "licence": "MIT", "date": "2026-01-01",
        "model": file_of(folder, "model.onnx"),
        "base": base, "window": WINDOW,
        "fusion": Fusion(names=("bm25", "cosine"), weights=(1.0, 2.0), bias=-1.0),
    }  # fmt: skip
    if (folder / "tokenizer.json").exists():
        values["tokenizer"] = file_of(folder, "tokenizer.json")
    changes = dict(changes)
    if "shares" in changes:
        values["state"] = PromotionState.SHADOW
    else:
        values |= earned(changes.get("kind", "embedder"), values["model"])
    write_metadata(folder, Metadata(**(values | changes)))
