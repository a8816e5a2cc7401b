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
    return float(passes[selected]) if _is_choice(passes) else None


def accuracy_by_chance(passes: Sequence[bool]) -> float | None:
    """Return the expected accuracy of a random selection; None where ``selection_accuracy`` is."""
    return sum(passes) / len(passes) if _is_choice(passes) else None


def _is_choice(passes: Sequence[bool]) -> bool:
    return len(set(passes)) > 1


def preference_agreement(order: Sequence[str], preferences: Sequence[Preference]) -> float | None:
    """Return the share of human choices in which the better patch precedes the worse one in an order.

    Choices that name a patch which is not in the order do not count; None if none does.
    """
    known = [choice for choice in preferences if {choice.better, choice.worse}.issubset(order)]
    repeated = [choice for choice in known if order.index(choice.better) < order.index(choice.worse)]
    return len(repeated) / len(known) if known else None
