"""Write the result of the promotion gates: the state, the reasons why it is not higher, and the card."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from wardround import host
from wardround.analyses.registry import known_analyses
from wardround.errors import ModelError, TrainingError
from wardround.inference import promotion_policy
from wardround.inference.locations import CARD_FILE, METADATA_FILE, RECIPE_FILE, package_folder
from wardround.inference.metadata import (
    HumanReview,
    Metadata,
    PromotionState,
    read_metadata,
    write_metadata,
)
from wardround.inference.onnx_session import SHARED_FILE
from wardround.inference.registry import training_file_defects
from wardround_lab.corpora.sft import TRAIN
from wardround_lab.training import promotion_gates
from wardround_lab.training.base_model import locate, read_base
from wardround_lab.training.choice_dataset import record_files, records_digest
from wardround_lab.training.model_card import card
from wardround_lab.training.recipe import read_data_part, read_yaml
from wardround_lab.training.run_directory import BASE_FILE, MODEL_FOLDER

_CHUNK = 1 << 20


BASE = "base"
"""The name of the frozen base's directory next to those of the adapters."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model's directory and its content."""

    folder: Path
    metadata: Metadata


def model_of(name: str) -> Model:
    """Return a model by its directory, the directory of its training, or the name of a bundled model.

    Raises:
        ModelError: there is none, its metadata cannot be read, or one of its input files has changed.
    """
    own = package_folder()
    locations = [Path(name), Path(name) / MODEL_FOLDER, *([] if own is None else [own / name])]
    for location in locations:
        if (location / METADATA_FILE).is_file():
            metadata = read_metadata(location)
            for trouble in training_file_defects(location, metadata):
                raise ModelError(trouble)
            return Model(location, metadata)
    raise ModelError(f"{name}: no directory with {METADATA_FILE} and no known model; pass its directory")


def base_of(folder: Path | None) -> Path | None:
    """Return the directory of the frozen base: the given one, or the bundled one."""
    if folder is not None:
        return folder
    own = package_folder()
    return None if own is None or not (own / BASE / METADATA_FILE).is_file() else own / BASE


def required_base(folder: Path | None) -> Path:
    """Return the directory of the frozen base.

    Raises:
        TrainingError: none is given, and none is bundled.
    """
    base = base_of(folder)
    if base is None:
        raise TrainingError("there is no exported base; pass its directory with --base")
    return base


def records_of(recipe_file: Path) -> list[Path]:
    """Return the records that a recipe of any kind names; none if it cannot be read."""
    try:
        data = read_yaml(recipe_file, dict[str, Any], "recipe").get("data")
        if isinstance(data, dict) and "folder" in data:
            return [recipe_file.parent / str(data["folder"]) / TRAIN]
        return record_files(read_data_part(recipe_file), recipe_file.parent)
    except TrainingError:
        return []


def promote(
    folder: Path, expected: PromotionState, seen: promotion_gates.FileDigests, read: HumanReview | None = None
) -> Metadata:
    """Apply the gates for a state and write the result.

    Args:
        folder: folder of the model.
        seen: the digests of the local files.
        read: findings that people have judged since; None keeps the recorded ones.

    Raises:
        ModelError: the metadata cannot be read or written, or the local files do not allow a decision.
    """
    return write(folder, decide(folder, expected, seen, read))


def decide(
    folder: Path, expected: PromotionState, seen: promotion_gates.FileDigests, read: HumanReview | None = None
) -> Metadata:
    """Return the metadata of a model as the gates for a state would have it.

    A rejected promotion never raises a state, and lowers one that is no longer earned. If files are only
    missing or differ from those of the model, nothing contradicts it, and the state does not change.

    Raises:
        ModelError: the metadata cannot be read, or the local files do not allow a decision.
    """
    metadata = read_metadata(folder)
    if read is not None and metadata.evaluation is not None:
        evaluation = msgspec.structs.replace(metadata.evaluation, read=read)
        metadata = msgspec.structs.replace(metadata, evaluation=evaluation)
    decision = promotion_gates.decide(metadata, expected, seen)
    if (
        decision.state is PromotionState.SHADOW
        and promotion_policy.allowed_state(metadata, expected).state is not PromotionState.SHADOW
    ):
        reason = decision.reasons[0][0].lower() + decision.reasons[0][1:].rstrip(".")
        raise ModelError(
            f"{folder}: no decision, the state stays {metadata.state.value}: {reason}; "
            "pass its training inputs with --recipe, --records and --base"
        )
    state = (
        expected if decision.state is expected else promotion_policy.min_state(metadata.state, decision.state)
    )
    return msgspec.structs.replace(metadata, state=state, reasons=decision.reasons)


def write(folder: Path, metadata: Metadata) -> Metadata:
    """Write the metadata and its card; return the metadata verbatim.

    Raises:
        ModelError: the directory cannot be written.
    """
    try:
        written = write_metadata(folder, metadata)
        (folder / CARD_FILE).write_text(card(written, users_of_model(written)), encoding="utf-8")
    except OSError as cause:
        raise ModelError(f"{folder / METADATA_FILE}: {cause.strerror}; make the folder writable") from cause
    return written


def users_of_model(metadata: Metadata) -> list[str]:
    """Return the installed specialists and analyses that use a model of this name."""
    specialists = [found.name for found in host.load().specialists if metadata.name in found.models]
    analyses = [found.name for found in known_analyses() if metadata.name in found.model_names]
    return [*specialists, *(f"the analysis {name}" for name in analyses)]


def copy_recipe(folder: Path, recipe: Path) -> None:
    """Copy the recipe into the directory of the model.

    Raises:
        ModelError: the directory cannot be written.
    """
    try:
        (folder / RECIPE_FILE).write_bytes(recipe.read_bytes())
    except OSError as cause:
        raise ModelError(f"{folder / RECIPE_FILE}: {cause.strerror}; make the folder writable") from cause


def files_seen(
    folder: Path, metadata: Metadata, *, base: Path | None, recipe: Path | None, records: Sequence[Path]
) -> promotion_gates.FileDigests:
    """Return the digests of the local files.

    Args:
        base: the directory of the frozen base; of a chat model that of the base's own files, if they are not
            where its training found them.
        recipe: the file of the recipe.
        records: the training files, in the recipe's order.
    """
    names = [] if metadata.tokenizer is None else [metadata.tokenizer.name]
    beside = [folder, *([] if base is None else [base])]
    tokenizer = next(
        (location / name for name in names for location in beside if (location / name).is_file()), None
    )
    there = bool(records) and all(path.is_file() for path in records)
    return promotion_gates.FileDigests(
        model=digest_of(folder / metadata.model.name),
        base=_decoder_base_digest(folder, base) if metadata.kind == "chat" else _base_digest(base),
        recipe=None if recipe is None else digest_of(recipe),
        records=records_digest(records) if there else None,
        shared=None if base is None else digest_of(base / SHARED_FILE),
        tokenizer=None if tokenizer is None else digest_of(tokenizer),
    )


def digest_of(file: Path) -> str | None:
    """SHA-256 of a file; None if there is none."""
    digest = hashlib.sha256()
    try:
        with file.open("rb") as stream:
            while part := stream.read(_CHUNK):
                digest.update(part)
    except OSError:
        return None
    return digest.hexdigest()


def _base_digest(base: Path | None) -> str | None:
    if base is None or not (base / METADATA_FILE).exists():
        return None
    known = read_metadata(base).base
    return None if known is None else known.digest


def _decoder_base_digest(folder: Path, files: Path | None) -> str | None:
    """Return the digest of the base of a chat model, by the description next to its training."""
    try:
        return locate(read_base(BASE_FILE, folder.parent), folder=files).digest
    except TrainingError:
        return None
