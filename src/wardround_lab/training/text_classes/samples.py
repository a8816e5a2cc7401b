"""The texts of the three parts, sampled so that no class and no repository dominates."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wardround.errors import TrainingError, UsageError
from wardround.training_tasks import LabelledText
from wardround_lab.corpora.records import rows_of
from wardround_lab.training.choice_dataset import record_files, repository_side
from wardround_lab.training.text_classes.recipe import TextRecipe


@dataclass(frozen=True, slots=True)
class TextSides:
    """The sampled texts.

    Attributes:
        training: the texts for the adapter; ``words``: the larger sample for the model over words.
    """

    training: tuple[LabelledText, ...]
    words: tuple[LabelledText, ...]
    validation: tuple[LabelledText, ...]
    evaluation: tuple[LabelledText, ...]


def sampled_sides(recipe: TextRecipe, folder: Path) -> TextSides:
    """Split the texts of a recipe's records by repository and time, and sample each part.

    Raises:
        TrainingError: a file cannot be read, or a part has no texts.
    """
    sides: dict[str, list[LabelledText]] = {"train": [], "validation": [], "evaluation": []}
    side_of = repository_side(recipe.data)
    for text in _read_records(recipe, folder):
        side = side_of(text.repository, text.time)
        if side is not None:
            sides[side].append(text)
    for side, texts in sides.items():
        if not texts:
            raise TrainingError(f"data.{side}: the records hold no text of its repositories; mine more")
    sample = recipe.sample
    validation, evaluation = (
        _balance(sides[side], sample.per_class, sample.per_evaluated_repository)
        for side in ("validation", "evaluation")
    )
    return TextSides(
        _balance(sides["train"], sample.per_class, sample.per_repository),
        _balance(sides["train"], sample.per_class * sample.words, sample.per_repository * sample.words),
        validation,
        evaluation,
    )


def _read_records(recipe: TextRecipe, folder: Path) -> Iterator[LabelledText]:
    try:
        for file in record_files(recipe.data, folder):
            yield from rows_of(file, LabelledText)
    except UsageError as cause:
        raise TrainingError(str(cause)) from cause


def _balance(texts: Sequence[LabelledText], per_class: int, per_repository: int) -> tuple[LabelledText, ...]:
    """Return a sample in an order that depends on the commits alone; a larger one contains a smaller one."""
    of_repository: Counter[tuple[str, str]] = Counter()
    of_class: Counter[str] = Counter()
    retained = []
    for text in _distinct(sorted(texts, key=_sample_key)):
        location = text.repository, text.label
        if of_repository[location] < per_repository and of_class[text.label] < per_class:
            of_repository[location] += 1
            of_class[text.label] += 1
            retained.append(text)
    return tuple(retained)


def _distinct(texts: Iterable[LabelledText]) -> Iterator[LabelledText]:
    seen: set[str] = set()
    for text in texts:
        plain = text.text.lower()
        if plain not in seen:
            seen.add(plain)
            yield text


def _sample_key(text: LabelledText) -> bytes:
    return hashlib.sha256(f"{text.repository}@{text.group}".encode()).digest()
