"""Fusion of a model over words and an adapter into one probability for each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wardround_lab.training.bootstrap import Floats

_TEMPERATURES = np.round(np.geomspace(0.25, 4.0, 33), 4)
_SHARES = np.round(np.linspace(0.0, 1.0, 21), 2)


@dataclass(frozen=True, slots=True)
class FusedScore:
    """The mean of two distributions.

    Attributes:
        adapter_temperature, word_temperature: the logits are divided by them.
        share: of the adapter, 0 to 1.
    """

    adapter_temperature: float
    word_temperature: float
    share: float

    def probabilities(self, adapter: Floats, words: Floats) -> Floats:
        """Return the probabilities of logits of shape (texts, classes)."""
        own = softmax(adapter / self.adapter_temperature)
        return self.share * own + (1 - self.share) * softmax(words / self.word_temperature)


def fit_fusion(adapter: Floats, words: Floats, labels: Sequence[int]) -> FusedScore:
    """Fit temperatures and the share on validation texts by their log loss."""
    temperatures = [fit_temperature(logits, labels) for logits in (adapter, words)]
    own, other = (softmax(logits / at) for logits, at in zip((adapter, words), temperatures, strict=True))
    losses = [_loss(share * own + (1 - share) * other, labels) for share in _SHARES]
    return FusedScore(temperatures[0], temperatures[1], float(_SHARES[int(np.argmin(losses))]))


def fit_temperature(logits: Floats, labels: Sequence[int]) -> float:
    """Return the temperature with the lowest log loss."""
    losses = [_loss(softmax(logits / temperature), labels) for temperature in _TEMPERATURES]
    return float(_TEMPERATURES[int(np.argmin(losses))])


def lowest_threshold(probabilities: Floats, labels: Sequence[int], precision: float) -> float:
    """Return the lowest probability from which the most likely class has a precision; 2 if there is none.

    With a threshold above 1 a model states nothing.
    """
    best, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == np.asarray(labels)
    order = np.argsort(-best, kind="stable")
    precisions = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    reached = np.flatnonzero(precisions >= precision)
    return float(best[order[reached[-1]]]) if len(reached) else 2.0


def softmax(logits: Floats) -> Floats:
    """Return probabilities along the last axis."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    found: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return found


def _loss(probabilities: Floats, labels: Sequence[int]) -> float:
    own = probabilities[np.arange(len(labels)), list(labels)]
    return float(-np.log(np.maximum(own, 1e-12)).mean())
