"""A recipe: all inputs of a training in one YAML file, so that a command repeats it."""

from __future__ import annotations

import datetime
import hashlib
import math
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from wardround.errors import TrainingError
from wardround_lab.corpora.within_repository_split import WithinRepositorySplit

Precision = Literal["auto", "float32", "bfloat16"]
MarkerPosition = Literal["start", "end"]
Kind = TypeVar("Kind")


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """A part of a recipe; unknown keys are rejected."""


class LoraPart(_Strict, frozen=True):
    """The trained weights, and the rank of their updates.

    Attributes:
        rank: the rank of the updates.
        alpha: their scale is ``alpha / rank``.
        dropout: share of their inputs that is zeroed in training.
        targets: names of the linear layers; empty for those of the base.
        layers: 0-based; empty for the upper half. Layers below the lowest are unchanged.
    """

    rank: int = 8
    alpha: int = 16
    dropout: float = 0.0
    targets: tuple[str, ...] = ()
    layers: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _demand(self.rank >= 1, f"rank {self.rank} is below 1")
        _demand(self.alpha >= 1, f"alpha {self.alpha} is below 1")
        _demand(0 <= self.dropout < 1, f"dropout {self.dropout} is not in [0, 1)")
        _demand(
            list(self.layers) == sorted(set(self.layers)) and min(self.layers, default=0) >= 0,
            f"layers {list(self.layers)} are not ascending numbers from 0",
        )


class TrainingPart(_Strict, frozen=True):
    """Parameters of the training.

    Attributes:
        seed: start of the random numbers.
        steps: number of optimiser steps; the rate falls to 0 over them.
        batch: questions per step.
        candidates: maximum number of candidates of a question in training; the correct ones come first.
        rate: maximum learning rate.
        warm_up: share of the steps in which the rate rises.
        temperature: cosines are divided by it.
        precision: ``auto`` uses bfloat16 if the processor supports it, else float32.
        max_minutes: limit of wall time, after which the current weights are used. 0 for no limit.
        checkpoint: steps between two checkpoints.
        validate: steps between two validations; 0 for eight in the entire training.
        validation_items: maximum number of validation questions.
        keep: use the weights of the ``best`` validation, or the ``last``.
        threads: number of processor threads.
        cache: MiB of memory for cached outputs of the layers below the trained ones.
    """

    seed: int = 0
    steps: int = 1000
    batch: int = 16
    candidates: int = 6
    rate: float = 1e-3
    warm_up: float = 0.1
    temperature: float = 0.05
    precision: Precision = "auto"
    max_minutes: float = 0.0
    checkpoint: int = 50
    validate: int = 0
    validation_items: int = 200
    keep: Literal["best", "last"] = "best"
    threads: int = 1
    cache: int = 1024

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "checkpoint", "threads"):
            _demand(getattr(self, name) >= 1, f"{name} {getattr(self, name)} is below 1")
        for name in ("seed", "validate", "validation_items", "cache", "max_minutes"):
            value = getattr(self, name)
            _demand(value >= 0 and math.isfinite(value), f"{name.replace('_', '-')} {value} is below 0")
        _demand(self.candidates >= 2, f"candidates {self.candidates} is below 2")
        _demand(0 < self.rate < 1, f"rate {self.rate} is not between 0 and 1")
        _demand(0 <= self.warm_up < 1, f"warm-up {self.warm_up} is not in [0, 1)")
        _demand(0 < self.temperature <= 1, f"temperature {self.temperature} is not in (0, 1]")


class DataPart(_Strict, frozen=True):
    """Data of training, validation and evaluation; no repository is in two of them.

    Attributes:
        records: files of JSON lines, one choice each; paths relative to the recipe's directory.
        train, validation, evaluation: repositories, ``owner/name``.
        until: training and validation items are older.
        since: evaluation items are at or after it.
        scope: instead of the three: all are of this one repository, and files are in one part only.
    """

    records: tuple[str, ...]
    train: tuple[str, ...] = ()
    validation: tuple[str, ...] = ()
    evaluation: tuple[str, ...] = ()
    until: datetime.date | None = None
    since: datetime.date | None = None
    scope: WithinRepositorySplit | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        _demand(bool(self.records), "records names no file")
        if self.own is None:
            _demand(bool(self.train), "train names no repository")
        else:
            named = (*self.train, *self.validation, *self.evaluation)
            _demand(not named, "scope excludes train, validation and evaluation; remove them")
            _demand(bool(self.until and self.since), "scope needs until and since: the evaluation is later")
        sides = {"train": self.train, "validation": self.validation, "evaluation": self.evaluation}
        seen: dict[str, str] = {}
        for side, names in sides.items():
            for name in names:
                other = seen.setdefault(name.lower(), side)
                _demand(other == side, f"{name} is in {other} and in {side}")
        if self.until and self.since:
            _demand(self.until <= self.since, f"since {self.since} is before until {self.until}")

    @property
    def own(self) -> WithinRepositorySplit | None:
        """The rule by which one repository is split; None if the sides are disjoint repositories."""
        return None if self.scope is msgspec.UNSET else self.scope

    @property
    def trained(self) -> tuple[str, ...]:
        """The training repositories."""
        return self.train if self.own is None else (self.own.repository,)

    @property
    def until_seconds(self) -> int:
        """Seconds since 1970 of ``until``, at midnight UTC; 0 without it."""
        return _seconds(self.until)

    @property
    def since_seconds(self) -> int:
        """Seconds since 1970 of ``since``, at midnight UTC; 0 without it."""
        return _seconds(self.since)


class Recipe(_Strict, frozen=True):
    """A recipe.

    Attributes:
        name: name of the adapter, in kebab case.
        specialist: the specialist of the adapter.
        task: the choice it learns.
        title: one-line description.
        base: the name of a bundled base, or a file that describes one.
        window: maximum number of tokens of a text; 0 for the base's.
        data: the examples, and how they are split.
        marker_position: the end of a text with its marker token; empty for the base's.
        lora: the trained weights.
        training: the parameters of the training.
    """

    name: str
    specialist: str
    task: str
    data: DataPart
    title: str = ""
    base: str = "minilm"
    window: int = 0
    marker_position: MarkerPosition | None = None
    lora: LoraPart = LoraPart()
    training: TrainingPart = TrainingPart()

    def __post_init__(self) -> None:
        for name in ("name", "specialist", "task"):
            text = getattr(self, name)
            _demand(
                bool(text) and text.replace("-", "a").replace("_", "a").isalnum() and text.isascii(),
                f"{name} {text!r} must consist of letters, digits and dashes",
            )
        _demand(self.window == 0 or self.window >= 8, f"window {self.window} is below 8 tokens")


def read_recipe(path: Path) -> Recipe:
    """Read the recipe in a file.

    Raises:
        TrainingError: it cannot be read, or is malformed; the message names file and key.
    """
    return read_yaml(path, Recipe, "recipe")


def read_data_part(path: Path) -> DataPart:
    """Read the data of a recipe of any kind.

    Raises:
        TrainingError: it cannot be read, or has no valid ``data``; the message names the file.
    """
    return read_yaml(path, _DataOfRecipe, "recipe").data


class _DataOfRecipe(msgspec.Struct, frozen=True):
    """A recipe of any kind; only its data is read."""

    data: DataPart


def recipe_digest(path: Path) -> str:
    """SHA-256 of a recipe, byte by byte."""
    return hashlib.sha256(read_bytes(path, "recipe")).hexdigest()


def read_yaml(path: Path, kind: type[Kind], what: str) -> Kind:
    """Return the value of a YAML file.

    Raises:
        TrainingError: it cannot be read, or is malformed; the message names file and key.
    """
    import yaml

    data = read_bytes(path, what)
    try:
        content: Any = yaml.safe_load(data)
        return msgspec.convert(content, kind)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as cause:
        raise TrainingError(f"{path}: not valid YAML: {' '.join(str(cause).split())}; correct it") from cause
    except (msgspec.MsgspecError, ValueError) as cause:
        raise TrainingError(f"{path}: {_message_with_key(str(cause))}; correct the {what}") from cause


def read_bytes(path: Path, what: str) -> bytes:
    """Return the bytes of a file.

    Raises:
        TrainingError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as cause:
        raise TrainingError(f"{path}: {cause.strerror}; pass the file of a {what}") from cause


def _message_with_key(message: str) -> str:
    """Return msgspec's message with the key as written in the file: ``$.lora`` becomes ``lora``."""
    return message.replace("`$.", "`").replace(" - at `$`", "").replace("Object ", "it ", 1)


def _seconds(date: datetime.date | None) -> int:
    if date is None:
        return 0
    midnight = datetime.datetime.combine(date, datetime.time(), datetime.UTC)
    return int(midnight.timestamp())
