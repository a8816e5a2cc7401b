"""Whether a task can be solved without doing it: by an echo of the question, by position, or by length."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from wardround.training_tasks import Choice

_ECHO = 20
"""Characters from which on standing in another text says something."""
_SURE = 3.0
"""Standard errors by which a rate must lie above chance to count at all."""


def query_leaks(query: str, said: str) -> bool:
    """Whether one of two texts stands in the other, whatever the white space and the case."""
    one, other = _plain(query), _plain(said)
    return min(len(one), len(other)) >= _ECHO and (one in other or other in one)


def shortcut_scores(choice: Choice) -> bool:
    """Whether the query and a right candidate echo each other, and no wrong one does."""
    echoing = {at for at, text in enumerate(choice.candidates) if query_leaks(choice.query, text)}
    return bool(echoing) and echoing <= set(choice.right)


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


@dataclass(slots=True)
class ProbeRate:
    """How often a rule of thumb is right, and how often chance would be."""

    items: int = 0
    right: int = 0
    chance: float = 0.0
    variance: float = 0.0

    def add(self, right: bool, chance: float) -> None:
        self.items += 1
        self.right += right
        self.chance += chance
        self.variance += chance * (1 - chance)

    @property
    def gain(self) -> float:
        """The share above chance; 0 where it may be luck."""
        above = self.right - self.chance
        if not self.items or above <= _SURE * math.sqrt(self.variance):
            return 0.0
        return above / self.items


@dataclass(slots=True)
class ShortcutProbe:
    """What choices give away, added up.

    Attributes:
        by: rule of thumb -> how often it is right.
        longer: sum over choices of the chance that a right candidate is longer than a wrong one.
    """

    by: dict[str, ProbeRate] = field(default_factory=dict)
    longer: float = 0.0
    items: int = 0

    def add(self, choice: Choice) -> None:
        chance = len(choice.right) / len(choice.candidates)
        for name, at in _guesses(choice):
            self.by.setdefault(name, ProbeRate()).add(at in choice.right, chance)
        self._compare(choice)

    def _compare(self, choice: Choice) -> None:
        """Count how often the right candidate is the longer one; each choice weighs the same."""
        right = [len(choice.candidates[at]) for at in choice.right]
        wrong = [len(text) for at, text in enumerate(choice.candidates) if at not in choice.right]
        won = sum((a > b) + 0.5 * (a == b) for a in right for b in wrong)
        self.longer += won / (len(right) * len(wrong))
        self.items += 1

    @property
    def length_auc(self) -> float:
        """The chance that a right candidate is longer than a wrong one; 0.5 if it may be luck."""
        if not self.items:
            return 0.5
        auc = self.longer / self.items
        return auc if abs(auc - 0.5) > _SURE * 0.5 / math.sqrt(self.items) else 0.5


def _guesses(choice: Choice) -> Iterator[tuple[str, int]]:
    last = len(choice.candidates) - 1
    yield "the first candidate", 0
    yield "the last candidate", last
    if last > 1:
        yield "the middle candidate", last // 2
