"""Choices for a training: the assignment to parts, and their texts as token ids."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from wardround.errors import TrainingError, UsageError
from wardround.training_tasks import Choice
from wardround_lab.corpora.records import digest_of, rows_of
from wardround_lab.corpora.within_repository_split import OwnSides
from wardround_lab.training.recipe import DataPart, Recipe

if TYPE_CHECKING:
    from tokenizers import Tokenizer


Item = TypeVar("Item")
_SIDES = ("train", "validation", "evaluation")


@dataclass(frozen=True, slots=True)
class Split:
    """The choices of the three parts, in the order of the records."""

    training: tuple[Choice, ...]
    validation: tuple[Choice, ...]
    evaluation: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A choice with indices of texts.

    Attributes:
        query: index of the text.
        candidates: indices of the texts.
        right: positions in ``candidates``.
    """

    group: str
    query: int
    candidates: tuple[int, ...]
    right: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChoiceDataset:
    """Questions and the token ids of their distinct texts."""

    tokens: list[list[int]]
    training: list[Question]
    validation: list[Question]


def record_files(data: DataPart, folder: Path) -> list[Path]:
    """Return the files of records that a recipe in ``folder`` names."""
    return [folder / name for name in data.records]


def records_digest(paths: Sequence[Path]) -> str:
    """Return the SHA-256 of a file of records; for several, that of their digests in the recipe's order.

    Raises:
        TrainingError: one cannot be read.
    """
    import hashlib

    try:
        digests = [digest_of(path) for path in paths]
    except UsageError as cause:
        raise TrainingError(str(cause)) from cause
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def split(recipe: Recipe, folder: Path) -> Split:
    """Split the choices of a recipe's records by its rule; those in no part are excluded.

    Raises:
        TrainingError: a file cannot be read, or a requested part has no choices.
    """
    data = recipe.data
    sides: dict[str, list[Choice]] = {side: [] for side in _SIDES}
    side_of = sides_of(data, folder)
    for choice in _choices(data, folder):
        side = side_of(choice)
        if side is not None:
            sides[side].append(choice)
    for side in ("train", "validation"):
        requested = getattr(data, side) if data.own is None else side == "train"
        if requested and not sides[side]:
            raise TrainingError(
                f"data.{side}: the records hold no item of its repositories in its time; mine more"
            )
    return Split(*(tuple(side) for side in sides.values()))


def sides_of(data: DataPart, folder: Path) -> Callable[[Choice], str | None]:
    """Return the rule by which a recipe splits its records: the part of a choice, or None.

    Raises:
        TrainingError: one repository is to be split, and a file of records cannot be read.
    """
    if data.own is not None:
        rows = ((example.repository, example.group, example.time) for example in _choices(data, folder))
        own = OwnSides.of(data.own, data.until_seconds, data.since_seconds, rows)
        return lambda choice: own.side(choice.repository, choice.group, choice.time)
    side_of = repository_side(data)
    return lambda choice: side_of(choice.repository, choice.time)


def repository_side(data: DataPart) -> Callable[[str, int], str | None]:
    """Return the rule of disjoint repositories: (repository, time) -> ``train``, ``validation``,
    ``evaluation`` or None.
    """
    names = {name.lower(): side for side in _SIDES for name in getattr(data, side)}

    def side_of(repository: str, time: int) -> str | None:
        side = names.get(repository.lower())
        return side if side is not None and _is_in_time(time, side, data) else None

    return side_of


def _choices(data: DataPart, folder: Path) -> Iterator[Choice]:
    try:
        for path in record_files(data, folder):
            yield from rows_of(path, Choice)
    except UsageError as cause:
        raise TrainingError(str(cause)) from cause


def _is_in_time(time: int, side: str, data: DataPart) -> bool:
    if side == "evaluation":
        return time >= data.since_seconds
    return data.until is None or time < data.until_seconds


def tokenize_choices(
    training: Sequence[Choice], validation: Sequence[Choice], tokenizer: Tokenizer
) -> ChoiceDataset:
    """Return choices with indices of texts, and the token ids of the texts."""
    texts: dict[str, int] = {}

    def numbers(choice: Choice) -> Question:
        query = texts.setdefault(choice.query, len(texts))
        candidates = tuple(texts.setdefault(text, len(texts)) for text in choice.candidates)
        return Question(choice.group, query, candidates, choice.right)

    trained, validated = (
        [row for row in map(numbers, side) if _has_distinct_negative(row)] for side in (training, validation)
    )
    return ChoiceDataset([created.ids for created in tokenizer.encode_batch(list(texts))], trained, validated)


def _has_distinct_negative(question: Question) -> bool:
    """Return True if the text of a wrong candidate differs from the correct ones and the query."""
    right = {question.candidates[location] for location in question.right}
    return bool(set(question.candidates) - right - {question.query})


def batches(
    questions: Sequence[Question], size: int, candidates: int, seed: int, start: int
) -> Iterator[list[Question]]:
    """Yield batches endlessly, from step ``start``; the batch of step N depends on the arguments only.

    Each epoch visits all questions in another order, and samples other candidates if there are more than
    ``candidates``.
    """
    rounds: dict[int, list[int]] = {}
    at = start * size
    while True:
        batch = []
        for location in range(at, at + size):
            turn, number = divmod(location, len(questions))
            if turn not in rounds:
                rounds.clear()
                rounds[turn] = _shuffled_order(len(questions), seed, turn)
            number = rounds[turn][number]
            batch.append(subsample(questions[number], candidates, f"{seed}:{turn}:{number}"))
        yield batch
        at += size


def _shuffled_order(count: int, seed: int, turn: int) -> list[int]:
    order = list(range(count))
    random.Random(f"{seed}:{turn}").shuffle(order)  # noqa: S311  (an order that can be repeated)
    return order


def subsample(question: Question, most: int, seed: str) -> Question:
    """Return the question with at most ``most`` candidates: correct ones up to half, the rest sampled wrong
    ones.
    """
    count = len(question.candidates)
    if count <= most:
        return question
    draw = random.Random(seed)  # noqa: S311  (a draw that can be repeated)
    right = sorted(draw.sample(question.right, min(len(question.right), most // 2)))
    wrong = [location for location in range(count) if location not in question.right]
    used = sorted(right + draw.sample(wrong, min(len(wrong), most - len(right))))
    return Question(
        question.group,
        question.query,
        tuple(question.candidates[location] for location in used),
        tuple(at for at, location in enumerate(used) if location in question.right),
    )


def spread(items: Sequence[Item], count: int) -> Iterator[Item]:
    """Return at most ``count`` items, evenly spaced."""
    used = min(count, len(items))
    return (items[at * len(items) // used] for at in range(used))
