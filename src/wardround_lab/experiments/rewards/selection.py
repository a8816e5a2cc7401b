"""Rewards of a selection among patches: against hidden tests, and against recorded choices of people."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Preference(msgspec.Struct, frozen=True):
    """The choice of a person between two patches, by any names that identify them."""

    better: str
    worse: str


def selection_accuracy(selected: int, passes: Sequence[bool]) -> float | None:
    """Return 1 if the selected patch passes all hidden tests, else 0; None if no selection can be wrong, or
    none can be right.

    Args:
        passes: for each patch, True if it passes all of them.
    """
    if all(passes) or not any(passes):
        return None
    return float(passes[selected])


def accuracy_by_chance(passes: Sequence[bool]) -> float | None:
    """Return the expected accuracy of a random selection; None where ``selection_accuracy`` is."""
    if all(passes) or not any(passes):
        return None
    return sum(passes) / len(passes)


def preference_agreement(order: Sequence[str], preferences: Sequence[Preference]) -> float | None:
    """Return the share of human choices in which the better patch precedes the worse one in an order.

    Choices that name a patch which is not in the order do not count; None if none does.
    """
    places = {name: place for place, name in enumerate(order)}
    known = [choice for choice in preferences if choice.better in places and choice.worse in places]
    if not known:
        return None
    return sum(places[choice.better] < places[choice.worse] for choice in known) / len(known)
