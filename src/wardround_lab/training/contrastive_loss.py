"""Contrastive loss: penalizes queries whose positives are not the nearest candidates."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from wardround_lab.training.choice_dataset import Question

_FAR = -1e9
"""Score of excluded texts; finite, so that a question without wrong candidates has a gradient of 0."""


def texts_of(batch: Sequence[Question]) -> list[int]:
    """Return the indices of the distinct texts of a batch, ascending."""
    return sorted({text for question in batch for text in (question.query, *question.candidates)})


def loss(
    vectors: torch.Tensor, texts: Sequence[int], batch: Sequence[Question], temperature: float
) -> torch.Tensor:
    """InfoNCE: each correct candidate against the wrong ones of its question and of the other questions.

    Candidates of other questions of the same group are excluded, since they are unlabelled here.

    Args:
        vectors: shape (texts, dimensions), of length 1.
        texts: index of the text of each row.

    Source: van den Oord et al. 2018, "Representation Learning with Contrastive Predictive Coding".
    """
    row = {text: at for at, text in enumerate(texts)}
    right, wrong = _masks(batch, row, vectors.device)
    queries = vectors[[row[question.query] for question in batch]]
    scores = queries @ vectors.T / temperature
    against = scores.masked_fill(~wrong, _FAR).logsumexp(1, keepdim=True)
    lost = torch.logaddexp(scores, against) - scores
    return ((lost * right).sum(1) / right.sum(1)).mean()


def _masks(
    batch: Sequence[Question], row: dict[int, int], device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the masks of correct and of wrong texts of each question, both of shape (questions, texts)."""
    right = torch.zeros((len(batch), len(row)), dtype=torch.bool)
    wrong = torch.zeros_like(right)
    for at, question in enumerate(batch):
        others = {text for other in batch if other.group != question.group for text in other.candidates}
        answers = {question.candidates[location] for location in question.right}
        against = (others | set(question.candidates)) - answers - {question.query}
        right[at, [row[text] for text in sorted(answers)]] = True
        wrong[at, [row[text] for text in sorted(against)]] = True
    return right.to(device), wrong.to(device)


def mean_reciprocal_rank(vectors: torch.Tensor, texts: Sequence[int], questions: Sequence[Question]) -> float:
    """Return the mean of 1 / rank of the first correct candidate; ties rank it last."""
    row = {text: at for at, text in enumerate(texts)}
    total = 0.0
    for question in questions:
        scores = vectors[[row[text] for text in question.candidates]] @ vectors[row[question.query]]
        right = torch.zeros(len(question.candidates), dtype=torch.bool)
        right[list(question.right)] = True
        total += 1.0 / (1 + int((scores[~right] >= scores[right].max()).sum()))
    return total / len(questions)
