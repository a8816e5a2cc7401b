"""Promotion gates: decide from metadata and source files whether a model earned a state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wardround.inference import promotion_policy
from wardround.inference.metadata import Metadata, PromotionState
from wardround.inference.promotion_policy import Decision


@dataclass(frozen=True, slots=True)
class FileDigests:
    """SHA-256 of the local files; None for a missing one.

    Attributes:
        model: digest of the model's file.
        base: digest of the weights that the base was exported from, as the base records; None for tables.
        recipe: digest of the recipe.
        records: digest of the training records.
        shared: digest of the file of tensors shared with the base.
        tokenizer: digest of the tokenizer.
    """

    model: str | None
    base: str | None
    recipe: str | None
    records: str | None
    shared: str | None = None
    tokenizer: str | None = None


def decide(metadata: Metadata, expected: PromotionState, seen: FileDigests) -> Decision:
    """Return the highest state up to ``wanted`` that is earned."""
    if expected is PromotionState.SHADOW:
        return Decision(PromotionState.SHADOW, ())
    found = promotion_policy.allowed_state(metadata, expected)
    against = tuple(against_files(metadata, seen))
    if not against:
        return found
    return Decision(
        PromotionState.SHADOW, (*against, *(found.reasons if found.state is PromotionState.SHADOW else ()))
    )


def against_files(metadata: Metadata, seen: FileDigests) -> Iterator[str]:
    """Return the mismatches of the local files, one sentence each."""
    data = metadata.data
    pairs = [("model file", metadata.model.sha256, seen.model)]
    if metadata.base is not None:
        pairs.append(("base", metadata.base.digest, seen.base))
    if metadata.base is not None and metadata.shared:
        pairs.append(("file of shared tensors", metadata.base.shared, seen.shared))
    if metadata.tokenizer is not None:
        pairs.append(("tokenizer", metadata.tokenizer.sha256, seen.tokenizer))
    if data is not None:
        pairs += [("recipe", data.recipe, seen.recipe), ("file of records", data.records, seen.records)]
    for what, reported, found in pairs:
        if found is None:
            yield f"The {what} is not at hand, so its digest cannot be checked."
        elif reported != found:
            yield f"The {what} has digest {_short(found)}, but the metadata says {_short(reported)}."


def _short(digest: str) -> str:
    return f"{digest[:12] or 'nothing'}"
