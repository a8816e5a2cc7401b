"""Probe tasks for shortcuts: an echo of the question, the position, or the length."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from wardround.training_tasks import Choice

_ECHO = 20
"""Minimum number of characters for containment in another text to count."""
_SURE = 3.0
"""Standard errors by which a rate must be above chance to count."""


def query_leaks(query: str, said: str) -> bool:
    """Return True if one of two texts contains the other, ignoring white space and case."""
    item, other = _plain(query), _plain(said)
    return min(len(item), len(other)) >= _ECHO and (item in other or other in item)


def shortcut_scores(choice: Choice) -> bool:
    """Return True if the query shares a shortcut with a correct candidate, and with no wrong one."""
    echoing = {at for at, text in enumerate(choice.candidates) if query_leaks(choice.query, text)}
    return bool(echoing) and echoing <= set(choice.right)


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


@dataclass(slots=True)
class ProbeRate:
    """The accuracy of a heuristic, and that of chance."""

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
        """Return the share above chance; 0 if it is not significant."""
        above = self.right - self.chance
        if not self.items or above <= _SURE * math.sqrt(self.variance):
            return 0.0
        return above / self.items


@dataclass(slots=True)
class ShortcutProbe:
    """Sums of the shortcuts of choices.

    Attributes:
        by: heuristic -> its accuracy.
        longer: sum over choices of the probability that a correct candidate is longer than a wrong one.
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
        """Count how often the correct candidate is the longer one; each choice has the same weight."""
        right = [len(choice.candidates[at]) for at in choice.right]
        wrong = [len(text) for at, text in enumerate(choice.candidates) if at not in choice.right]
        won = sum((a > b) + 0.5 * (a == b) for a in right for b in wrong)
        self.longer += won / (len(right) * len(wrong))
        self.items += 1

    @property
    def length_auc(self) -> float:
        """Return the probability that a correct candidate is longer than a wrong one; 0.5 if it is not
        significant.
        """
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
