"""The recipe of a decoder that answers requests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from wardround_lab.training.recipe import LoraPart, TrainingPart, _demand, _Strict, read_yaml

Precision = Literal["int4", "fp32"]


class ChatDataPart(_Strict, frozen=True):
    """The examples of both sides, as ``wardround data build-sft`` divided them.

    Attributes:
        folder: the folder that it wrote, relative to the recipe.
        rules: answers of the rules to the requests of ``eval.jsonl``, one ``{"answer": TEXT}`` a line in the
            same order, relative to the recipe. Without it the model stays a shadow.
    """

    folder: str
    rules: str = ""


class AnswerPart(_Strict, frozen=True):
    """The answers that are compared with the expected ones.

    Attributes:
        pattern: regular expression of a whole valid answer. Without it the model stays a shadow.
        tokens: most tokens of an answer.
        items: most requests of the evaluation, spread over its repositories.
    """

    pattern: str = ""
    tokens: int = 64
    items: int = 400

    def __post_init__(self) -> None:
        _demand(self.tokens >= 1, f"tokens {self.tokens} is below 1")
        _demand(self.items >= 1, f"items {self.items} is below 1")
        try:
            re.compile(self.pattern)
        except re.error as cause:
            raise ValueError(f"pattern {self.pattern!r} is not a regular expression: {cause}") from cause


class ExportPart(_Strict, frozen=True):
    """The export, whose precision is the first one that keeps what was learnt.

    Attributes:
        precisions: in the order in which they are tried; ``int4`` mixes four and eight bits (k-quant).
        agreement: required share of the greedy tokens of the merged model that the exported one chooses too.
        prompts: number of requests of the evaluation that are compared.
        tokens: first tokens of each answer that are compared.
    """

    precisions: tuple[Precision, ...] = ("int4", "fp32")
    agreement: float = 0.95
    prompts: int = 100
    tokens: int = 64

    def __post_init__(self) -> None:
        _demand(bool(self.precisions), "precisions names none")
        _demand(0 < self.agreement <= 1, f"agreement {self.agreement} is not in (0, 1]")
        for name in ("prompts", "tokens"):
            _demand(getattr(self, name) >= 1, f"{name} {getattr(self, name)} is below 1")


class ChatRecipe(_Strict, frozen=True):
    """A recipe of kind ``chat``; shared keys have the same meaning as in other kinds.

    Attributes:
        window: most tokens of a request with its answer; longer examples are left out, never cut.
        template: file of a chat template (Jinja), relative to the recipe; empty for the one of the base.
        lora: ``layers`` empty for all of them.
        training: ``batch`` counts examples; the ones of a batch have similar lengths and are padded, not
            packed, so none sees another. ``candidates``, ``temperature``, ``validate``, ``keep`` and
            ``cache`` are ignored; ``validation-items`` limits the held-out loss.
        accumulation: batches per step.
    """

    kind: Literal["chat"]
    name: str
    data: ChatDataPart
    base: str
    title: str = ""
    window: int = 1024
    template: str = ""
    lora: LoraPart = LoraPart()
    training: TrainingPart = TrainingPart(steps=300, batch=4, rate=2e-4, checkpoint=25)
    accumulation: int = 1
    answer: AnswerPart = AnswerPart()
    export: ExportPart = ExportPart()

    def __post_init__(self) -> None:
        plain = self.name.replace("-", "a").replace("_", "a")
        _demand(
            plain.isalnum() and plain.isascii(), f"name {self.name!r} has other characters than a-z, 0-9, -"
        )
        _demand(self.window >= 256, f"window {self.window} is below 256 tokens")
        _demand(self.accumulation >= 1, f"accumulation {self.accumulation} is below 1")


def read_chat_recipe(path: Path) -> ChatRecipe:
    """Read the recipe in a file.

    Raises:
        TrainingError: it cannot be read, or is malformed; the message names file and key.
    """
    return read_yaml(path, ChatRecipe, "recipe")
