"""Package a model for shipping: eight-bit ONNX, tensors shared with its base, tokenizer and metadata."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wardround.errors import ModelError, TrainingError
from wardround.inference.locations import LORA_FILES, TOKENIZER_FILE, package_folder
from wardround.inference.metadata import (
    BaseModel,
    File,
    Metadata,
    ModelSource,
    Parity,
    PromotionState,
    SharedTensor,
    read_metadata,
    write_metadata,
)
from wardround.inference.onnx_session import SHARED_FILE, Session, SharedTensors, load
from wardround.inference.runtime import CUDA, Runtime, load_cuda_libraries
from wardround.inference.verified_files import read_verified
from wardround_lab.corpora.records import digest_of
from wardround_lab.training import parity
from wardround_lab.training.base_model import Located
from wardround_lab.training.encoder import load_encoder, load_tokenizer
from wardround_lab.training.merge import Trained, is_model, read_trained
from wardround_lab.training.onnx_export import export_onnx, float32_graph
from wardround_lab.training.quantise import quantise_weights
from wardround_lab.training.resource_checks import require_memory, require_one_file, require_writable
from wardround_lab.training.run_directory import (
    LORA_FOLDER,
    MERGED_FOLDER,
    MODEL_FOLDER,
    ONNX_FOLDER,
    RECIPE_FILE,
    TEXTS_FILE,
    Run,
    read_run,
    write_atomically,
)
from wardround_lab.training.shared_tensors import extract_large_tensors, share_tensors, tensor_offsets

if TYPE_CHECKING:
    from onnx import ModelProto
    from tokenizers import Tokenizer

MODEL_FILE = "model.onnx"
PARITY_FILE = "parity.json"
BASE_NAME = "base"
Progress = Callable[[str], None]
_ON_CPU = Runtime("onnxruntime", "")
"""The CPU, where models are exported and compared."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A model on disk: its directory and its metadata."""

    folder: Path
    metadata: Metadata


# --- the steps of an adapter


def merge(folder: Path, target: Path | None = None, *, base_folder: Path | None = None) -> Parity:
    """Merge an adapter.

    Args:
        folder: folder of a training, or of a model.
        target: directory of the merged model; by default ``merged`` below the directory of a training.

    Raises:
        TrainingError: there is no adapter, or it is a model's and no target is given.
        ModelError: a file of the model does not match its metadata.
    """
    if target is None and is_model(folder):
        raise TrainingError(f"{folder} is a finished model, which is read-only; set --out DIR")
    if target is not None:
        _require_free(target)
    trained = read_trained(folder, base_folder=base_folder)
    tokens = _tokens(folder, trained.tokenizer)
    before = parity.embedded_together(trained.load_adapted(), tokens)
    merged = trained.write_merged(folder / MERGED_FOLDER if target is None else target)
    found = parity.compare_vectors("merged", before, parity.embedded_together(merged, tokens))
    if target is None:
        _store_parity(folder, found)
    return found


def export(folder: Path, *, base_folder: Path | None = None) -> Parity:
    """Export the adapter of a training; the float32 graph is in ``onnx`` below its directory.

    Raises:
        TrainingError: there is no finished training, or not enough memory.
    """
    if is_model(folder):
        raise TrainingError(f"{folder} is a finished model, which is read-only; set --merged --out DIR")
    trained = read_trained(folder, base_folder=base_folder)
    require_memory(trained.located)
    tokens = _tokens(folder, trained.tokenizer)
    merged = trained.load_merged()
    file = folder / ONNX_FOLDER / MODEL_FILE
    export_onnx(merged, tokens[0], file)
    _save_tokenizer(trained.tokenizer, file.parent)
    before = parity.embed_texts(parity.wrap_encoder(merged), tokens)
    after = parity.embed_texts(parity.wrap_session(plain_session(file)), tokens)
    found = parity.compare_vectors("onnx-fp32", before, after)
    _store_parity(folder, found)
    return found


def against_optimum(folder: Path, *, base_folder: Path | None = None) -> Parity:
    """Compare our export of a training with optimum's of the same merged model.

    Raises:
        TrainingError: it was not merged and exported.
    """
    from wardround_lab.training import optimum_export

    merged, exported = folder / MERGED_FOLDER, folder / ONNX_FOLDER / MODEL_FILE
    if not (merged / "config.json").is_file() or not exported.is_file():
        raise TrainingError(f"{folder}: it is not merged; run `wardround adapters merge {folder}`")
    trained = read_trained(folder, base_folder=base_folder)
    tokens = _tokens(folder, trained.tokenizer)
    theirs = optimum_export.vectors(merged, trained.located.base.pooling, tokens)
    ours = parity.embed_texts(parity.wrap_session(plain_session(exported)), tokens)
    return parity.compare_vectors("optimum", theirs, ours)


def quantise(
    folder: Path, base: Path, target: Path | None = None, *, base_folder: Path | None = None
) -> Shipped:
    """Build the shipped model from an exported adapter.

    Args:
        base: the directory of the shipped base, whose tensors are shared.
        target: the directory of the model; ``model`` below ``folder`` by default.

    Raises:
        TrainingError: the adapter was not exported, or it was trained on another base.
    """
    run = read_run(folder)
    trained = read_trained(folder, base_folder=base_folder)
    tokens = _tokens(folder, trained.tokenizer)
    exported = folder / ONNX_FOLDER / MODEL_FILE
    if not exported.is_file():
        raise TrainingError(f"{exported} does not exist; run `wardround adapters export {folder}` first")
    of_base = base_metadata(base, run.base_model, run.base)
    assert of_base.shares is not None
    content = read_verified(base, of_base.shares)
    model = quantise_weights(exported)
    tensors = share_tensors(model, tensor_offsets(content, of_base.shared))
    target = target or folder / MODEL_FOLDER
    metadata = _adapter_metadata(run, of_base, write_model(model, target), tensors)
    metadata = add_tokenizer(metadata, trained.tokenizer, target, of_base)
    before = parity.embed_texts(parity.wrap_session(plain_session(exported)), tokens)
    after = parity.embed_texts(parity.wrap_session(session(target, metadata, base)), tokens)
    _store_parity(folder, parity.compare_vectors("onnx-int8", before, after))
    beside = tuple(_write(target, name, (folder / LORA_FOLDER / name).read_bytes()) for name in LORA_FILES)
    if (folder / RECIPE_FILE).is_file():
        write_atomically(target / RECIPE_FILE, (folder / RECIPE_FILE).read_bytes())
    metadata = msgspec.structs.replace(metadata, files=beside, parity=_stored_parity(folder))
    return Shipped(target, write_metadata(target, metadata))


def finish(folder: Path, base: Path, *, base_folder: Path | None = None, progress: Progress) -> Shipped:
    """Merge, export and quantise the adapter of a training."""
    progress("merging")
    merge(folder, base_folder=base_folder)
    progress("exporting")
    export(folder, base_folder=base_folder)
    progress("quantising")
    return quantise(folder, base, base_folder=base_folder)


def shipped_base(
    folder: Path, base: Path | None, *, base_folder: Path | None = None, progress: Progress
) -> Path:
    """Return the directory of the shipped base of a training.

    It is ``base``, the bundled one, or one that is exported into the training's directory.
    """
    if base is not None:
        return base
    run = read_run(folder)
    own = package_folder()
    for location in ([] if own is None else [own / BASE_NAME]) + [folder / BASE_NAME]:
        with suppress(TrainingError):
            base_metadata(location, run.base_model, run.base)
            return location
    trained = read_trained(folder, base_folder=base_folder)
    return export_base(trained.located, folder / BASE_NAME, progress=progress).folder


def _adapter_metadata(run: Run, base: Metadata, model: File, tensors: tuple[SharedTensor, ...]) -> Metadata:
    digest = base.shares.sha256 if base.shares and tensors else ""
    return Metadata(
        schema="wardround.adapter/1",
        name=run.name,
        specialist=run.specialist,
        task=run.task,
        title=run.title,
        scope=run.scope,
        kind="embedder",
        state=PromotionState.SHADOW,
        licence=run.base_model.licence,
        date=run.date,
        model=model,
        base=msgspec.structs.replace(run.base_model, shared=digest),
        window=run.window,
        shared=tensors,
        lora=run.lora,
        data=run.data,
        seed=run.seed,
        seconds=run.seconds,
        reasons=("It was not evaluated; run `wardround adapters evaluate`.",),
    )


def base_metadata(base: Path, base_model: BaseModel, name: str) -> Metadata:
    """Return the metadata of an exported base.

    Args:
        base_model: the base that an adapter was trained on; ``name``: as its recipe calls it.

    Raises:
        TrainingError: there is none, or it is another base.
    """
    try:
        metadata = read_metadata(base)
    except ModelError as cause:
        hint = f"`wardround adapters export --base {name} --out {base}`"
        raise TrainingError(f"{base}: there is no exported base; create it with {hint}") from cause
    if metadata.shares is None or metadata.base is None or metadata.base.digest != base_model.digest:
        raise TrainingError(f"{base}: this is not the base {base_model.id} that the adapter was trained on")
    return metadata


# --- the base


def export_base(located: Located, target: Path, *, date: str = "", progress: Progress) -> Shipped:
    """Export a frozen base as a model of its own, with its large tensors in the file that its adapters
    share.
    """
    base = located.base
    tokenizer = load_tokenizer(located, base.window, base.marker_position)
    tokens = [created.ids for created in tokenizer.encode_batch(own_texts())]
    require_memory(located)
    encoder = load_encoder(located)
    progress("exporting")
    with float32_graph(encoder, tokens[0], target) as float_file:
        vectors = [parity.embed_texts(parity.wrap_encoder(encoder), tokens)]
        vectors.append(parity.embed_texts(parity.wrap_session(plain_session(float_file)), tokens))
        progress("quantising")
        model = quantise_weights(float_file)
    content, tensors = extract_large_tensors(model)
    metadata = Metadata(
        schema="wardround.adapter/1",
        name=BASE_NAME,
        specialist="",
        task="",
        title="How close two texts are in meaning, as the base was published",
        kind="embedder",
        state=PromotionState.SHADOW,
        licence=base.licence,
        date=date or datetime.datetime.now(datetime.UTC).date().isoformat(),
        model=write_model(model, target),
        shares=_write(target, SHARED_FILE, content),
        base=BaseModel(
            id=base.id, revision=base.revision, digest=located.digest, licence=base.licence,
            shared=hashlib.sha256(content).hexdigest(),
        ),
        window=base.window,
        shared=tensors,
    )  # fmt: skip
    metadata = add_tokenizer(metadata, tokenizer, target, None)
    vectors.append(parity.embed_texts(parity.wrap_session(session(target, metadata, target)), tokens))
    found = (
        parity.compare_vectors("onnx-fp32", *vectors[:2]),
        parity.compare_vectors("onnx-int8", *vectors[1:]),
    )
    metadata = msgspec.structs.replace(metadata, parity=found)
    return Shipped(target, write_metadata(target, metadata))


# --- a model that stands alone


def export_alone(trained: Trained, target: Path, *, int8: bool) -> Shipped:
    """Export an adapter as one self-contained ONNX file plus tokenizer, for other programs.

    The tokenizer truncates texts at the model's window. The metadata names the sources; figures were measured
    with another file, so they are not included.

    Raises:
        TrainingError: another model exists there, there is not enough memory, or it is too large for one
            file.
    """
    _require_free(target)
    require_one_file(trained.located, int8=int8)
    require_memory(trained.located)
    file, tokens = target / MODEL_FILE, trained.tokenizer.encode(own_texts()[0]).ids
    if int8:
        with float32_graph(trained.load_merged(), tokens, target) as float_file:
            write_model(quantise_weights(float_file), target)
    else:
        export_onnx(trained.load_merged(), tokens, file)
    _save_tokenizer(trained.tokenizer, target)
    about = trained.about
    metadata = Metadata(
        schema="wardround.adapter/1", name=about.name, specialist=about.specialist, task=about.task,
        title=about.title, scope=about.scope, kind="embedder", state=PromotionState.SHADOW,
        licence=trained.base.licence, date=about.date, model=_file(file),
        tokenizer=_file(target / TOKENIZER_FILE), base=msgspec.structs.replace(trained.base, shared=""),
        window=about.window, data=about.data, seed=about.seed, seconds=about.seconds,
        source=ModelSource(name=about.name, weights=trained.digest),
        reasons=("It was exported for other programs, and this file was not measured.",),
    )  # fmt: skip
    return Shipped(target, write_metadata(target, metadata))


def _require_free(target: Path) -> None:
    """Require that the target contains nothing but an earlier export."""
    if is_model(target) and read_metadata(target).source is None:
        raise TrainingError(f"{target} is a finished model, which is read-only; choose another --out")


# --- sessions, texts, files


def plain_session(file: Path, runtime: Runtime = _ON_CPU) -> Session:
    """Return a session of a self-contained ONNX file."""
    import onnxruntime

    if runtime.provider == CUDA:
        load_cuda_libraries()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return Session(onnxruntime.InferenceSession(str(file), options, providers=list(runtime.providers)), ())


def session(folder: Path, metadata: Metadata, base: Path) -> Session:
    """Return a session of a shipped model, as a review loads it."""
    content = read_verified(folder, metadata.model)
    if not metadata.shared:
        return load(content, metadata, None, _ON_CPU)
    from wardround.inference.verified_files import mmap_verified

    file = base / SHARED_FILE
    shared = File(
        name=SHARED_FILE, sha256=metadata.base.shared if metadata.base else "", bytes=file.stat().st_size
    )
    return load(content, metadata, SharedTensors(base, mmap_verified(base, shared)), _ON_CPU)


def own_texts() -> list[str]:
    """Return real texts that are always available: parts of wardround's own source."""
    from importlib.resources import files

    texts = []
    for file in sorted(Path(str(files("wardround.inference"))).glob("*.py")):
        pieces = file.read_text("utf-8").split("\n\n\n")
        texts += [piece for piece in pieces if len(piece) > 80][:4]
    return texts[:48]


def _tokens(folder: Path, tokenizer: Tokenizer) -> list[list[int]]:
    """Return texts for measurements: those of the training, or else our own."""
    file = folder / TEXTS_FILE
    texts = msgspec.json.decode(file.read_bytes(), type=list[str]) if file.is_file() else own_texts()
    return [created.ids for created in tokenizer.encode_batch(texts)]


def _store_parity(folder: Path, found: Parity) -> None:
    """Store a measured difference, and drop those of later steps, which are outdated."""
    order = ("merged", "onnx-fp32", "onnx-int8")
    earlier = order[: order.index(found.step)]
    retained = [*(step for step in _stored_parity(folder) if step.step in earlier), found]
    write_atomically(
        folder / PARITY_FILE, msgspec.json.format(msgspec.json.encode(retained), indent=2) + b"\n"
    )


def _stored_parity(folder: Path) -> tuple[Parity, ...]:
    file = folder / PARITY_FILE
    return msgspec.json.decode(file.read_bytes(), type=tuple[Parity, ...]) if file.is_file() else ()


def write_model(model: ModelProto, folder: Path) -> File:
    """Write a graph, the same bytes for the same graph.

    Raises:
        TrainingError: it is too large for one file.
    """
    require_writable(model)
    return _write(folder, MODEL_FILE, model.SerializeToString(deterministic=True))


def _write(folder: Path, name: str, content: bytes) -> File:
    write_atomically(folder / name, content)
    return File(name=name, sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))


def _file(path: Path) -> File:
    return File(name=path.name, sha256=digest_of(path), bytes=path.stat().st_size)


def add_tokenizer(metadata: Metadata, tokenizer: Tokenizer, target: Path, base: Metadata | None) -> Metadata:
    """Return the metadata with the tokenizer, which is written unless it equals the base's."""
    content = _tokenizer_json(tokenizer)
    file = File(name=TOKENIZER_FILE, sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))
    if base is None or base.tokenizer != file:
        write_atomically(target / TOKENIZER_FILE, content)
    return msgspec.structs.replace(metadata, tokenizer=file)


def _save_tokenizer(tokenizer: Tokenizer, folder: Path) -> None:
    """Write the tokenizer for other programs: it truncates texts at the model's window."""
    write_atomically(folder / TOKENIZER_FILE, tokenizer.to_str().encode())


def _tokenizer_json(tokenizer: Tokenizer) -> bytes:
    """Return a tokenizer without truncation: the metadata defines the window."""
    from tokenizers import Tokenizer

    free = Tokenizer.from_str(tokenizer.to_str())
    free.no_truncation()
    reported: str = free.to_str()
    return reported.encode()
