"""Write the result of the promotion gates: the state, the reasons why it is not higher, and the card."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from wardround import host
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
from wardround.inference.registry import wrong_beside
from wardround_lab.training import promotion_gates
from wardround_lab.training.choice_dataset import record_files, records_digest
from wardround_lab.training.model_card import card
from wardround_lab.training.recipe import DataPart, decoded
from wardround_lab.training.run_directory import MODEL_FOLDER

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
    places = [Path(name), Path(name) / MODEL_FOLDER, *([] if own is None else [own / name])]
    for place in places:
        if (place / METADATA_FILE).is_file():
            metadata = read_metadata(place)
            for trouble in wrong_beside(place, metadata):
                raise ModelError(trouble)
            return Model(place, metadata)
    raise ModelError(f"{name}: no directory with {METADATA_FILE} and no known model; pass its directory")


def base_of(folder: Path | None) -> Path | None:
    """Return the directory of the frozen base: the given one, or the bundled one."""
    if folder is not None:
        return folder
    own = package_folder()
    return None if own is None or not (own / BASE / METADATA_FILE).is_file() else own / BASE


def records_of(recipe_file: Path) -> list[Path]:
    """Return the records that a recipe of any kind names; none if it cannot be read."""
    try:
        data = decoded(recipe_file, dict[str, Any], "recipe").get("data")
        return record_files(msgspec.convert(data, DataPart), recipe_file.parent)
    except (TrainingError, msgspec.ValidationError):
        return []


def promote(
    folder: Path, wanted: PromotionState, seen: promotion_gates.FileDigests, read: HumanReview | None = None
) -> Metadata:
    """Apply the gates for a state and write the result.

    A refusal never raises a state, and lowers one that is no longer earned. If files are only missing or
    differ from those of the model, nothing is known against it, and the state does not change.

    Args:
        folder: of the model.
        seen: the digests of the local files.
        read: findings that people have judged since; None keeps the recorded ones.

    Raises:
        ModelError: the metadata cannot be read or written, or the local files do not allow a decision.
    """
    metadata = read_metadata(folder)
    if read is not None and metadata.evaluation is not None:
        evaluation = msgspec.structs.replace(metadata.evaluation, read=read)
        metadata = msgspec.structs.replace(metadata, evaluation=evaluation)
    decision = promotion_gates.decide(metadata, wanted, seen)
    if (
        decision.state is PromotionState.SHADOW
        and promotion_policy.allowed_state(metadata, wanted).state is not PromotionState.SHADOW
    ):
        reason = decision.reasons[0][0].lower() + decision.reasons[0][1:].rstrip(".")
        raise ModelError(
            f"{folder}: no decision, the state stays {metadata.state.value}: {reason}; "
            "pass its training inputs with --recipe, --records and --base"
        )
    state = wanted if decision.state is wanted else promotion_policy.min_state(metadata.state, decision.state)
    decided = msgspec.structs.replace(metadata, state=state, reasons=decision.reasons)
    return write(folder, decided)


def write(folder: Path, metadata: Metadata) -> Metadata:
    """Write the metadata and its card; return the metadata as written.

    Raises:
        ModelError: the directory cannot be written.
    """
    try:
        written = write_metadata(folder, metadata)
        (folder / CARD_FILE).write_text(card(written, asked_by(written)), encoding="utf-8")
    except OSError as cause:
        raise ModelError(f"{folder / METADATA_FILE}: {cause.strerror}; make the folder writable") from cause
    return written


def asked_by(metadata: Metadata) -> list[str]:
    """Return the installed specialists that use a model of this name."""
    return [one.name for one in host.load().specialists if metadata.name in one.models]


def keep_recipe(folder: Path, recipe: Path) -> None:
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
        base: the directory of the frozen base.
        recipe: the file of the recipe.
        records: the training files, in the recipe's order.
    """
    names = [] if metadata.tokenizer is None else [metadata.tokenizer.name]
    beside = [folder, *([] if base is None else [base])]
    tokenizer = next((place / name for name in names for place in beside if (place / name).is_file()), None)
    there = bool(records) and all(path.is_file() for path in records)
    return promotion_gates.FileDigests(
        model=digest_of(folder / metadata.model.name),
        base=_base_digest(base),
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
