"""Figures of a classification with several classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wardround_lab.training.bootstrap import Figure, Flags, Floats, Places, Repositories


def macro_f1(labels: Sequence[int], answers: Sequence[int], classes: int) -> float:
    """Return the mean over the classes of their F1; a class that does not occur is excluded."""
    return float(_macro_f1(_confusion(np.asarray(labels), np.asarray(answers), classes)))


def macro_f1_figure(
    units: Repositories, labels: Sequence[int] | Places, answers: Sequence[int] | Places, classes: int
) -> Figure:
    """Return the macro-F1 with its value in each sample of repositories."""
    of_each = _confusions(units, np.asarray(labels), np.asarray(answers), classes)
    return _figure(units, of_each)


def chance_macro_f1(units: Repositories, labels: Places, answers: Places, classes: int) -> Figure:
    """Return the macro-F1 of answers that only depend on the repository of a text: the counts of classes and
    of answers of each repository, as if they were independent.
    """
    of_each = _confusions(units, labels, answers, classes)
    expected, given = of_each.sum(axis=2, keepdims=True), of_each.sum(axis=1, keepdims=True)
    return _figure(units, expected * given / of_each.sum(axis=(1, 2), keepdims=True))


def _confusions(units: Repositories, labels: Places, answers: Places, classes: int) -> Floats:
    """Return the confusion of each repository, shape (repositories, classes, classes)."""
    rows = [units.of_row == at for at in range(len(units.names))]
    return np.stack([_confusion(labels[row], answers[row], classes) for row in rows])


def _figure(units: Repositories, of_each: Floats) -> Figure:
    draws = np.tensordot(units.counts, of_each, axes=1)
    return Figure(float(_macro_f1(of_each.sum(axis=0))), _macro_f1(draws))


def share_figure(units: Repositories, right: Flags, stated: Flags) -> Figure:
    """Return the share of correct ones among the stated ones: precision above a threshold."""
    hits = np.bincount(units.of_row, (right & stated).astype(np.float64), len(units.names))
    sizes = np.bincount(units.of_row, stated.astype(np.float64), len(units.names))
    with np.errstate(invalid="ignore", divide="ignore"):
        return Figure(float(hits.sum() / sizes.sum()), (units.counts @ hits) / (units.counts @ sizes))


def _confusion(labels: Places, answers: Places, classes: int) -> Floats:
    """Return the number of texts by class and answer, shape (classes, classes)."""
    counts = np.bincount(labels * classes + answers, minlength=classes * classes)
    return counts.reshape(classes, classes).astype(np.float64)


def _macro_f1(confusion: Floats) -> Floats:
    """Return the macro-F1 of tables of shape (..., classes, classes)."""
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    expected, given = confusion.sum(axis=-1), confusion.sum(axis=-2)
    with np.errstate(invalid="ignore", divide="ignore"):
        f1 = np.where(expected > 0, 2 * right / np.maximum(expected + given, 1), np.nan)
    found: Floats = np.nanmean(f1, axis=-1)
    return found
