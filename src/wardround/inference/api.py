"""The interface of models for checks, which imports ``wardround.inference`` lazily.

A model is returned only if it was promoted (state ``rank`` or ``report``), was requested, and can run here;
else the result is None, and the check runs without it. A request is nearly free: a model is loaded when it
must first score something that is not in the cache. If that fails, or there are more texts than the profile
allows, the checks of the file run again without that model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec


class TableModel(Protocol):
    """A model over a row of numbers, such as a boosted tree."""

    @property
    def threshold(self) -> float:
        """The probability from which it may report, fitted on real history; infinite if it never may."""

    def score(self, features: Sequence[float]) -> float:
        """Return the calibrated probability for one row, in the order of the model's ``features``; 0 to 1.

        Raises:
            ModelError: the row has another width than the model was trained on.
        """


class Ranker(Protocol):
    """A model that ranks texts by how well they match a query."""

    def scores(self, query: str, candidates: Sequence[str]) -> list[float]:
        """Return one score per candidate, higher is better, each independent of the others; -1 to 1."""

    def fuse(
        self, query: str, candidates: Sequence[str], evidence: Sequence[Mapping[str, float]]
    ) -> list[float]:
        """Return the measured score: its own combined with cheap evidence; log-odds, higher is better.

        Args:
            evidence: for each candidate, by name, the task's features and ``bm25``.

        Raises:
            ModelError: the model was measured with cheap evidence, or some of it is missing here.
        """


class Classifier(Protocol):
    """A model that classifies short texts."""

    @property
    def threshold(self) -> float:
        """The probability above which its class may be stated, fitted on other repositories."""

    def probabilities(self, text: str) -> Mapping[str, float]:
        """Return the probability of each class, in a stable order; their sum is 1.

        Raises:
            ModelError: the model cannot be used.
        """


class Models(Protocol):
    """The models a review may use."""

    def table(self, name: str) -> TableModel | None:
        """Return the model over numbers of this name, or None."""

    def ranker(self, name: str) -> Ranker | None:
        """Return the ranker of this name (an adapter, or ``base`` for the frozen base), or None."""

    def classifier(self, name: str) -> Classifier | None:
        """Return the model over short texts of this name, or None."""


class NoModels(msgspec.Struct, frozen=True):
    """A review without models."""

    def table(self, name: str) -> TableModel | None:
        return None

    def ranker(self, name: str) -> Ranker | None:
        return None

    def classifier(self, name: str) -> Classifier | None:
        return None
