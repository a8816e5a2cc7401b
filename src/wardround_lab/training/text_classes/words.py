"""A linear model over hashed words, fitted by scikit-learn: the baseline, and a part of the shipped model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wardround.text.hashed_words import BUCKETS, hashed_words
from wardround_lab.training.bootstrap import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_STEPS = 300


@dataclass(frozen=True, slots=True, eq=False)
class WordModel:
    """Weights of words by class.

    Attributes:
        rarity: shape (buckets,), inverse document frequency.
        weights: shape (buckets, classes); ``bias``: shape (classes,).
    """

    rarity: NDArray[np.float32]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]

    def logits(self, texts: Sequence[str]) -> Floats:
        """Return the logits of texts, shape (texts, classes)."""
        rows = _scale(_count_matrix(texts), self.rarity)
        found: Floats = np.asarray(rows @ self.weights + self.bias, dtype=np.float64)
        return found


def fit_words(texts: Sequence[str], labels: Sequence[int], classes: int, inverse_penalty: float) -> WordModel:
    """Fit logistic regression on TF-IDF of hashed words; deterministic for the same texts and versions.

    Classes have equal weight, independent of their number of texts.

    Args:
        labels: index of the class of each text; every class occurs.
        inverse_penalty: scikit-learn's ``C``.
    """
    counts = _count_matrix(texts)
    rarity = _rarity(counts)
    fitted = _fit(_scale(counts, rarity), labels, inverse_penalty)
    if list(fitted.classes_) != list(range(classes)):
        raise ValueError(f"only {len(fitted.classes_)} of {classes} classes occur")
    return WordModel(rarity, fitted.coef_.T.astype(np.float32), fitted.intercept_.astype(np.float32))


def _fit(rows: Any, labels: Sequence[int], inverse_penalty: float) -> Any:
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=inverse_penalty, max_iter=_STEPS, class_weight="balanced")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(rows, np.asarray(labels))
    return model


def linear_logits(
    trained: Floats, labels: Sequence[int], measured: Floats, inverse_penalty: float = 1.0
) -> Floats:
    """Return the logits of a logistic regression on dense vectors, such as those of the frozen base."""
    found: Floats = np.asarray(_fit(trained, labels, inverse_penalty).decision_function(measured))
    return found


def _count_matrix(texts: Sequence[str]) -> csr_matrix:
    from scipy.sparse import csr_matrix

    columns: list[int] = []
    values: list[float] = []
    ends = [0]
    for text in texts:
        numbers, counts = hashed_words(text)
        columns += numbers
        values += counts
        ends.append(len(columns))
    return csr_matrix((np.array(values, np.float32), columns, ends), shape=(len(texts), BUCKETS))


def _rarity(counts: csr_matrix) -> NDArray[np.float32]:
    """Return scikit-learn's smoothed inverse document frequency."""
    having = np.bincount(counts.indices, minlength=BUCKETS)
    found: NDArray[np.float32] = (np.log((1 + counts.shape[0]) / (1 + having)) + 1).astype(np.float32)
    return found


def _scale(counts: csr_matrix, rarity: NDArray[np.float32]) -> csr_matrix:
    """Return rows of length 1: the logarithm of each count, weighted by rarity."""
    rows = counts.copy()
    rows.data = (1 + np.log(rows.data)) * rarity[rows.indices]
    squares = rows.multiply(rows).sum(axis=1)
    lengths = np.sqrt(np.asarray(squares, dtype=np.float32)).ravel()
    rows.data /= np.repeat(np.maximum(lengths, 1e-9), np.diff(rows.indptr))
    return rows
