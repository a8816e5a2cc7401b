"""Models whose answer a test chooses, lent as a review lends them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from wardround.inference.api import Ranker, TableModel


@dataclass
class Judge:
    """A model that always returns one answer and records its inputs."""

    answer: float = 1.0
    threshold: float = 0.5
    asked: list[Sequence[float]] = field(default_factory=list)

    def score(self, features: Sequence[float]) -> float:
        self.asked.append(features)
        return self.answer


@dataclass(frozen=True)
class Lender:
    """Lends one model, by its name."""

    model: TableModel | None
    wanted: list[str] = field(default_factory=list)

    def table(self, name: str) -> TableModel | None:
        self.wanted.append(name)
        return self.model

    def ranker(self, name: str) -> Ranker | None:
        raise AssertionError("nobody asks for a ranker")
