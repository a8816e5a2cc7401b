"""Complete verification of models: every byte, every reference, and one real run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from wardround.errors import ModelError
from wardround.inference.locations import LORA_FILES, METADATA_FILE
from wardround.inference.onnx_session import require_declared
from wardround.inference.registry import ModelEntry, ModelRegistry, unwanted_files, wrong_beside
from wardround.inference.runtime import Runtime, detect_runtime
from wardround.inference.tabular import raw_score
from wardround.inference.verified_files import read_verified

_TEXTS = ("Read the file again when it has changed.", "def read(path):\n    return path.read_text()\n")
_CLOSE = 1e-3


@dataclass(frozen=True, slots=True)
class Checked:
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


def verify(shelf: ModelRegistry) -> Iterator[Checked]:
    """Verify every model of a registry, and list the rejected ones."""
    try:
        runtime, missing = detect_runtime("cpu"), ""
    except ModelError as trouble:
        runtime, missing = None, str(trouble)
    for one in shelf.found:
        yield _checked(shelf, one, runtime, missing)
    for refused in shelf.refused:
        yield Checked(refused.name, "not verified", (refused.reason,))


def _checked(shelf: ModelRegistry, one: ModelEntry, runtime: Runtime | None, missing: str) -> Checked:
    """Verify one model; for one that is not built the metadata and the recipe.

    Args:
        missing: the reason why models cannot run.
    """
    harmful, unknown = unwanted_files(one.folder, one.metadata)
    troubles = [
        f"{one.folder / name} is not part of the model and could run code when it is opened; remove it"
        for name in harmful
    ]
    troubles += [*_claimed(one), *wrong_beside(one.folder, one.metadata)]
    notes = [f"{one.folder / name} is not part of the model" for name in unknown if name not in LORA_FILES]
    if not one.is_built:
        said = f"metadata, recipe; not built: {one.build_command}"
        return Checked(one.name, said, tuple(troubles), tuple(notes))
    said = f"digests, references{'' if runtime is None else ', one run'}"
    try:
        _digests(shelf, one)
        if runtime is not None:
            _run(shelf, one, runtime)
    except ModelError as trouble:
        troubles.append(str(trouble))
    said = said if runtime is not None else f"{said}; not run: {missing}"
    return Checked(one.name, said, tuple(troubles), tuple(notes))


def _claimed(one: ModelEntry) -> Iterator[str]:
    """Return the claims of the metadata without evidence."""
    file = one.folder / METADATA_FILE
    if one.overstated:
        yield f"{file}: {one.overstated}; it counts as shadow, and `wardround adapters promote` shows why"
    if not one.metadata.settings:
        yield f"{file}: it has no digest of the settings that determine the scores; install the model again"


def _digests(shelf: ModelRegistry, one: ModelEntry) -> None:
    """Compare every byte, and verify that the graph has no other references.

    Raises:
        ModelError: a file differs from the metadata.
    """
    metadata = one.metadata
    contents = {file.name: read_verified(folder, file) for folder, file in shelf.files(one)}
    if metadata.source is not None and metadata.tokenizer is not None:
        _require_window(one, contents[metadata.tokenizer.name])
    if metadata.shares is not None:
        read_verified(one.folder, metadata.shares)
    shared = 0
    if metadata.shared and metadata.base is not None:
        base = shelf.sharing(metadata.base.shared)
        shared = base.metadata.shares.bytes if base.metadata.shares is not None else 0
    try:
        require_declared(contents[metadata.model.name], metadata.shared, shared)
    except ModelError as trouble:
        raise ModelError(f"{one.folder / metadata.model.name}: {trouble}; do not use it") from trouble


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


def _run(shelf: ModelRegistry, one: ModelEntry, runtime: Runtime) -> None:
    """Score something once.

    Raises:
        ModelError: it cannot be loaded or run, or its output contradicts its metadata.
    """
    file = one.folder / METADATA_FILE
    if one.metadata.kind == "table":
        raw_score(shelf.load(one, runtime).session, [0.0] * len(one.metadata.inputs))
        return
    embedder = shelf.embedder(one.name, runtime)
    first, second = embedder.embed(_TEXTS)
    if abs(float(first @ first) - 1) > _CLOSE or (first == second).all():
        raise ModelError(
            f"{file}: the model returns no unit vectors, or the same for any text; train it again"
        )
