"""What a check may ask of the models: a light door to ``wardround.inference``, which is loaded behind it.

A model answers only where it earned it (state ``rank`` or ``report``), was asked for, and can run here; else
the door gives None, and the check does what it can without. Asking costs next to nothing: a model is loaded
when it must first score something that is not in the cache. Where that fails, or there are more texts than
the profile allows, the checks of the file are run again without that model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec


class TableModel(Protocol):
    """A model over a row of numbers, such as a boosted tree."""

    @property
    def threshold(self) -> float:
        """The probability from which it may speak, fitted on real history; infinite where it never may."""

    def score(self, features: Sequence[float]) -> float:
        """The calibrated probability for one row, in the order of the model's ``features``; 0 to 1.

        Raises:
            ModelError: the row has another width than the model was trained on.
        """


class Ranker(Protocol):
    """A model that says which of several texts answers a query best."""

    def scores(self, query: str, candidates: Sequence[str]) -> list[float]:
        """One score per candidate, higher is better, each the same whatever its neighbours are; -1 to 1."""

    def fused(
        self, query: str, candidates: Sequence[str], evidence: Sequence[Mapping[str, float]]
    ) -> list[float]:
        """The score it was measured by: its own joined with cheap evidence; log-odds, higher is better.

        Args:
            evidence: for each candidate, by name, the task's features and ``bm25``.

        Raises:
            ModelError: it was measured without cheap evidence, or with some that is not given.
        """


class Models(Protocol):
    """The models a review may use."""

    def table(self, name: str) -> TableModel | None:
        """The model over numbers of this name, or None."""

    def ranker(self, name: str) -> Ranker | None:
        """The ranker of this name (an adapter, or ``base`` for the frozen base), or None."""


class NoModels(msgspec.Struct, frozen=True):
    """A review without models."""

    def table(self, name: str) -> TableModel | None:
        return None

    def ranker(self, name: str) -> Ranker | None:
        return None
