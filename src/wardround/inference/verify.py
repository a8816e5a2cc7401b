"""Complete verification of models: every byte, every reference, and one real run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from wardround.errors import ModelError
from wardround.inference.locations import LORA_FILES, METADATA_FILE
from wardround.inference.onnx_session import require_declared_references, require_own_weights
from wardround.inference.registry import ModelEntry, ModelRegistry, training_file_defects, unwanted_files
from wardround.inference.runtime import Runtime, detect_runtime
from wardround.inference.tabular import raw_score
from wardround.inference.verified_files import read_verified, require_unchanged

_TEXTS = ("Read the file again when it has changed.", "def read(path):\n    return path.read_text()\n")
_CLOSE = 1e-3


@dataclass(frozen=True, slots=True)
class ModelVerification:
    """The result of the verification of one model.

    Attributes:
        said: the extent of the verification.
        troubles: a sentence for each error.
        notes: a sentence for each harmless observation.
    """

    name: str
    said: str
    troubles: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def verify(
    shelf: ModelRegistry, run_decoder: Callable[[ModelEntry], None] | None = None
) -> Iterator[ModelVerification]:
    """Verify every model of a registry, and list the rejected ones.

    Args:
        run_decoder: runs a decoder once, and raises ``ModelError`` if it cannot; None runs none.
    """
    try:
        runtime, missing = detect_runtime("cpu"), ""
    except ModelError as trouble:
        runtime, missing = None, str(trouble)
    for entry in shelf.found:
        yield _check_model(shelf, entry, _Runs(runtime, missing, run_decoder))
    for refused in shelf.refused:
        yield ModelVerification(refused.name, "not verified", (refused.reason,))


class _Runs(NamedTuple):
    """How models are run once: None where they are not, for the reason ``missing``."""

    runtime: Runtime | None
    missing: str
    decoder: Callable[[ModelEntry], None] | None

    def of(self, shelf: ModelRegistry, one: ModelEntry) -> Callable[[], None] | None:
        """Return what runs a model once; None if nothing does."""
        if one.metadata.kind == "chat":
            run_decoder = self.decoder
            return None if run_decoder is None else lambda: run_decoder(one)
        runtime = self.runtime
        return None if runtime is None else lambda: _run(shelf, one, runtime)


def _check_model(shelf: ModelRegistry, one: ModelEntry, runs: _Runs) -> ModelVerification:
    """Verify one model; for one that is not built the metadata and the recipe."""
    harmful, unknown = unwanted_files(one.folder, one.metadata)
    troubles = [
        f"{one.folder / name} is not part of the model and could run code when it is opened; remove it"
        for name in harmful
    ]
    troubles += [*_unproven_claims(one), *training_file_defects(one.folder, one.metadata)]
    notes = [f"{one.folder / name} is not part of the model" for name in unknown if name not in LORA_FILES]
    if not one.is_built:
        said = f"metadata, recipe; not built: {one.build_command}"
        return ModelVerification(one.name, said, tuple(troubles), tuple(notes))
    run = runs.of(shelf, one)
    try:
        _digests(shelf, one)
        if run is not None:
            run()
    except ModelError as trouble:
        troubles.append(str(trouble))
    said = "digests, references" + (", one run" if run is not None else f"; not run: {runs.missing}")
    return ModelVerification(one.name, said, tuple(troubles), tuple(notes))


def _unproven_claims(item: ModelEntry) -> Iterator[str]:
    """Return the claims of the metadata without evidence."""
    file = item.folder / METADATA_FILE
    if item.overstated:
        yield f"{file}: {item.overstated}; it counts as shadow, and `wardround adapters promote` shows why"
    if not item.metadata.settings:
        yield f"{file}: it has no digest of the settings that determine the scores; install the model again"


def _digests(shelf: ModelRegistry, item: ModelEntry) -> None:
    """Compare every byte, and verify that the graph has no other references.

    Raises:
        ModelError: a file differs from the metadata.
    """
    metadata = item.metadata
    if metadata.kind == "chat":
        _decoder_digests(shelf, item)
        return
    contents = {file.name: read_verified(folder, file) for folder, file in shelf.files(item)}
    if metadata.source is not None and metadata.tokenizer is not None:
        _require_window(item, contents[metadata.tokenizer.name])
    if metadata.shares is not None:
        read_verified(item.folder, metadata.shares)
    shared = 0
    if metadata.shared and metadata.base is not None:
        base = shelf.sharing(metadata.base.shared)
        shared = base.metadata.shares.bytes if base.metadata.shares is not None else 0
    try:
        require_declared_references(contents[metadata.model.name], metadata.shared, shared)
    except ModelError as trouble:
        raise ModelError(f"{item.folder / metadata.model.name}: {trouble}; do not use it") from trouble


def _decoder_digests(shelf: ModelRegistry, one: ModelEntry) -> None:
    """Compare every byte of a decoder, and verify that the graph refers to its own weights only.

    Raises:
        ModelError: a file differs from the metadata.
    """
    for folder, file in shelf.files(one):
        require_unchanged(folder, file)
    model = one.metadata.model
    try:
        require_own_weights(read_verified(one.folder, model), one.metadata.weights)
    except ModelError as trouble:
        raise ModelError(f"{one.folder / model.name}: {trouble}; do not use it") from trouble


def _require_window(one: ModelEntry, tokenizer: bytes) -> None:
    """Verify that the tokenizer of an exported model truncates texts at the model's window.

    Raises:
        ModelError: it does not; other programs depend on it.
    """
    window = one.metadata.window
    if (json.loads(tokenizer).get("truncation") or {}).get("max_length") != window:
        raise ModelError(
            f"{one.folder}: its tokenizer does not truncate texts at the model's window of {window} tokens; "
            "export it again"
        )


def _run(shelf: ModelRegistry, item: ModelEntry, runtime: Runtime) -> None:
    """Score something once.

    Raises:
        ModelError: it cannot be loaded or run, or its output contradicts its metadata.
    """
    file = item.folder / METADATA_FILE
    if item.metadata.kind == "table":
        raw_score(shelf.load(item, runtime).session, [0.0] * len(item.metadata.inputs))
        return
    if item.metadata.kind == "texts":
        model = shelf.classifier(item, runtime)
        rows = [model.probabilities(text) for text in _TEXTS]
        if any(abs(float(row.sum()) - 1) > _CLOSE for row in rows) or (rows[0] == rows[1]).all():
            raise ModelError(
                f"{file}: the model returns no probabilities, or the same for any text; train it again"
            )
        return
    embedder = shelf.embedder(item.name, runtime)
    first, second = embedder.embed(_TEXTS)
    if abs(float(first @ first) - 1) > _CLOSE or (first == second).all():
        raise ModelError(
            f"{file}: the model returns no unit vectors, or the same for any text; train it again"
        )
