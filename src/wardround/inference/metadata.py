"""The metadata of a model file: read before the model is loaded, written by the training."""

from __future__ import annotations

import enum
import re
from pathlib import Path
from typing import Literal

import msgspec

from wardround.errors import ModelError
from wardround.inference.locations import DECODER_FILES, DECODER_WEIGHTS, LARGEST_METADATA, METADATA_FILE
from wardround.storage.digest import sha256

WEIGHTS_ENDING = ".onnx.data"
"""The end of the name of a file with weights that a graph refers to."""
SCHEMA: Literal["wardround.adapter/1"] = "wardround.adapter/1"
_DIGEST = re.compile(r"[0-9a-f]{64}")


class PromotionState(enum.Enum):
    """The permission of a model: ``shadow`` is only logged, ``rank`` orders, ``report`` makes findings."""

    SHADOW = "shadow"
    RANK = "rank"
    REPORT = "report"


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """A part of the metadata; unknown keys are rejected."""


class SharedTensor(_Strict, frozen=True):
    """A tensor of the graph that is stored in the base's shared file.

    Attributes:
        offset: bytes from the start of the shared file.
        dtype: numpy's name: ``int8``, ``float32``.
    """

    name: str
    offset: int
    dtype: str
    shape: tuple[int, ...]


class File(_Strict, frozen=True):
    """A file of the model, next to its metadata."""

    name: str
    sha256: str
    bytes: int

    def __post_init__(self) -> None:
        if not _DIGEST.fullmatch(self.sha256):
            raise ValueError(f"{self.name}: {self.sha256!r} is not a SHA-256 digest")
        if "/" in self.name or "\\" in self.name or self.name in ("", ".", ".."):
            raise ValueError(f"{self.name!r} is not a plain file name")


class BaseModel(_Strict, frozen=True):
    """The base of a model.

    Attributes:
        digest: SHA-256 of its weights file.
        shared: SHA-256 of the shared tensors' file; empty if nothing is shared.
    """

    id: str
    revision: str
    digest: str
    licence: str
    shared: str = ""


class Interval(_Strict, frozen=True):
    """A figure with its 95% bootstrap interval over repositories."""

    value: float
    low: float
    high: float


class Improvement(_Strict, frozen=True):
    """The improvement of one scorer over another on the same questions.

    Attributes:
        of, over: names of scorers: ``base``, ``adapter``, ``cheap``, ``cheap+base``, ``cheap+adapter``.
        metric: ``mrr``, ``top-1``, ``auc`` ...
        seed: seed of the measured training run.
    """

    of: str
    over: str
    metric: str
    seed: int
    gain: Interval


class HumanReview(_Strict, frozen=True):
    """The judgement of people who read findings as a user would see them.

    Attributes:
        right: the number of the ``items`` that were correct; doubtful ones do not count.
        note: who read, and how the items were drawn.
    """

    items: int
    right: int
    note: str


class Evaluation(_Strict, frozen=True):
    """The evaluation of a model.

    Attributes:
        repositories: those of the evaluation, disjoint from those of the training.
        since: seconds since 1970; evaluation items are younger, training items older; 0 without such a
            split.
        metrics: scorer -> metric -> figure.
        controls: name -> figure. ``size``: a scorer that uses length and position only; ``placebo``: the gain
            above chance when the correct answers are permuted at random.
        base_rate: share of correct candidates (choices), or of positives at the natural rate (tables).
        models: seed -> SHA-256 of the measured model file.
        records: SHA-256 of the evaluation items.
        leaks: groups and texts in both parts of the split; None if it was not audited.
        read: findings read by people; needed to ``report``.
        exempt: name of a control -> why it does not apply.
        drawn: for a model of one repository, how many weights and files were resampled for the intervals,
            instead of repositories.
    """

    repositories: tuple[str, ...]
    since: int
    items: int
    base_rate: float
    metrics: dict[str, dict[str, Interval]]
    gains: tuple[Improvement, ...]
    controls: dict[str, Interval]
    notes: tuple[str, ...] = ()
    models: dict[str, str] = {}
    records: str = ""
    leaks: int | None = None
    read: HumanReview | None = None
    exempt: dict[str, str] = {}
    drawn: dict[str, int] = {}


class Calibration(_Strict, frozen=True):
    """The map from a raw score to a probability.

    Attributes:
        method: ``platt``: 1 / (1 + exp(-(slope * score + bias))); ``isotonic``: linear between the points.
        points: (score, probability), ascending in both, for ``isotonic``.
        items: the number of items it was fitted on, at the natural rate.
        model: SHA-256 of the model file whose scores it was fitted on.
        repositories: those it was fitted on; ``checked`` are others, on which ``error`` and ``brier`` were
            measured. For a model of one repository these are its files, or weeks if questions name no file.
        base_rate: share of correct ones among the items.
        error: expected calibration error, 0 to 1; ``brier``: mean squared error of the probability.
    """

    method: Literal["platt", "isotonic", "none"]
    slope: float = 1.0
    bias: float = 0.0
    points: tuple[tuple[float, float], ...] = ()
    items: int = 0
    model: str = ""
    repositories: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()
    base_rate: float = 0.0
    error: float | None = None
    brier: float | None = None


class Fusion(_Strict, frozen=True):
    """The measured fused score: sum of weight * number, plus ``bias``.

    Attributes:
        names: the task's features, then ``bm25`` and ``cosine``, unscaled.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float


class Parity(_Strict, frozen=True):
    """The measured difference after one step of the export, against the step before.

    Attributes:
        step: ``merged``, ``onnx-fp32``, ``onnx-int8``, ``onnx-int4``.
        largest: the largest absolute difference of an output (embeddings: of a coordinate; decoders: of a
            log-probability).
        correlation: correlation of the scores.
        agreement: of a decoder, the share of greedy tokens that are the same, with all before them.
    """

    step: str
    largest: float
    correlation: float
    agreement: float | None = None


class Lora(_Strict, frozen=True):
    """The LoRA configuration; ``layers`` are 0-based."""

    rank: int
    alpha: int
    dropout: float
    targets: tuple[str, ...]
    layers: tuple[int, ...]


class TrainingData(_Strict, frozen=True):
    """The training data: the recipe's and the records' digests, and the repositories."""

    recipe: str
    records: str
    repositories: tuple[str, ...]
    items: int
    until: int
    audit: str


class ModelSource(_Strict, frozen=True):
    """The adapter that was merged into a standalone model, and the SHA-256 of its LoRA weights."""

    name: str
    weights: str


class Metadata(_Strict, frozen=True):
    """The metadata of one model, versioned with its weights.

    Attributes:
        kind: ``embedder``: token ids -> unit vector; ``table``: numbers -> score; ``lines``: token ids of
            a window of a change -> logits for each token, those of line marks are used; no review runs it;
            ``texts``: token ids and words of a short text -> the probability of each class;
            ``chat``: a decoder in the form of onnxruntime-genai, which continues a conversation.
        model: an ONNX file. An embedder takes ``input_ids``, int64 of shape (1, tokens), and returns a
            float32 vector of shape (1, width); a table takes float32 of shape (1, numbers), and the last
            number of its last output is the raw score.
        files: the inputs of its merge: its LoRA weights and their configuration; of a decoder in addition
            the files that it is run with, besides ``model`` and ``tokenizer``.
        shares: the file of tensors that this model shares with others on it; only a base has one.
        window: most tokens of a text; of a decoder, of a request with its answer; 0 for tables.
        inputs: names of the numbers a table takes, in order; of a model over lines, names of its heads;
            of one over texts, its classes.
        date: date of the training, ``YYYY-MM-DD``.
        seconds: wall time of the training run.
        title: its purpose in one line, for users.
        scope: the only repository it was trained and measured on, and may be used in; empty for any.
        fusion: the combination of its score with the cheap evidence; for choices.
        alarm_rate: share of real negatives that may pass the threshold; 0 without one.
        precision: number format of the weights of a decoder; empty for other kinds.
        source: source of a standalone model that was exported for other programs.
        settings: SHA-256 of the values that determine its scores besides its files; set by
            ``write_metadata``.
    """

    schema: Literal["wardround.adapter/1"]
    name: str
    specialist: str
    task: str
    kind: Literal["embedder", "table", "lines", "texts", "chat"]
    state: PromotionState
    licence: str
    date: str
    model: File
    files: tuple[File, ...] = ()
    shares: File | None = None
    base: BaseModel | None = None
    tokenizer: File | None = None
    window: int = 0
    shared: tuple[SharedTensor, ...] = ()
    inputs: tuple[str, ...] = ()
    lora: Lora | None = None
    data: TrainingData | None = None
    seed: int = 0
    seconds: float = 0.0
    parity: tuple[Parity, ...] = ()
    evaluation: Evaluation | None = None
    title: str = ""
    scope: str = ""
    fusion: Fusion | None = None
    calibration: Calibration = Calibration(method="none")
    alarm_rate: float = 0.0
    thresholds: dict[str, float] = {}
    reasons: tuple[str, ...] = ()
    source: ModelSource | None = None
    precision: str = ""
    settings: str = ""

    @property
    def weights_sha256(self) -> str:
        """SHA-256 of the file with the weights, which differs between any two trainings."""
        apart = [file.sha256 for file in self.files if file.name == DECODER_WEIGHTS]
        return apart[0] if apart and self.kind == "chat" else self.model.sha256

    @property
    def decoder_files(self) -> tuple[File, ...]:
        """The files that a decoder is run with, besides ``model`` and ``tokenizer``; none of other kinds."""
        if self.kind != "chat":
            return ()
        return tuple(file for file in self.files if file.name in DECODER_FILES)

    @property
    def weights(self) -> dict[str, int]:
        """The files with the weights of a decoder, with their bytes; none of other kinds."""
        return {file.name: file.bytes for file in self.decoder_files if file.name.endswith(WEIGHTS_ENDING)}


def read_metadata(folder: Path) -> Metadata:
    """Return the metadata of a model's folder.

    Raises:
        ModelError: it does not exist, is invalid, or its settings were changed since they were written; the
            message names file and position.
    """
    file = folder / METADATA_FILE
    try:
        if file.is_symlink():
            raise ModelError(f"{file} is a symbolic link; install the model again")
        with file.open("rb") as stream:
            content = stream.read(LARGEST_METADATA + 1)
        if len(content) > LARGEST_METADATA:
            raise ModelError(
                f"{file} is larger than {LARGEST_METADATA // 1024**2} MiB; install the model again"
            )
        metadata = msgspec.json.decode(content, type=Metadata)
    except OSError as cause:
        raise ModelError(f"{file}: {cause.strerror}; install the model again") from cause
    except (msgspec.MsgspecError, ValueError, RecursionError) as cause:
        raise ModelError(f"{file}: {cause}; install the model again") from cause
    if metadata.settings and metadata.settings != settings_digest(metadata):
        raise ModelError(
            f"{file}: its window, inputs, fusion, calibration, thresholds or scope were changed after it "
            "was written; install the model again"
        )
    return metadata


def write_metadata(folder: Path, metadata: Metadata) -> Metadata:
    """Write the metadata of a model's folder, readable and deterministic; return it verbatim."""
    written = msgspec.structs.replace(metadata, settings=settings_digest(metadata))
    text = msgspec.json.format(msgspec.json.encode(written, order="deterministic"), indent=2)
    (folder / METADATA_FILE).write_bytes(text + b"\n")
    return written


def settings_digest(metadata: Metadata) -> str:
    """Return the SHA-256 of the values that determine a model's scores, and their meaning."""
    settings = (
        metadata.kind, metadata.window, metadata.inputs, metadata.lora, metadata.fusion, metadata.calibration,
        metadata.thresholds, metadata.alarm_rate, metadata.scope,
    )  # fmt: skip
    return sha256(msgspec.json.encode(settings, order="deterministic")).hexdigest()
