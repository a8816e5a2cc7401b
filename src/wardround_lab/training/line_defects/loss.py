"""Loss functions of a line training."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from wardround_lab.training.line_defects.encoding import EncodedWindow

_HEAVIEST = 20.0
"""Maximum weight of a rare class of lines relative to the others."""


def labels_of(sheets: Sequence[EncodedWindow], classes: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the label of each head for each judged line, and its mask: both (lines, 1 + classes).

    The class heads are masked for defects of unknown class.
    """
    rows = [(flag, kind) for sheet in sheets for flag, kind in zip(sheet.faulty, sheet.classes, strict=True)]
    expected = torch.zeros(len(rows), 1 + classes)
    requested = torch.ones(len(rows), 1 + classes)
    for at, (faulty, kind) in enumerate(rows):
        expected[at, 0] = float(faulty)
        if kind >= 0:
            expected[at, 1 + kind] = 1.0
        elif faulty:
            requested[at, 1:] = 0.0
    return expected, requested


def balanced_loss(logits: torch.Tensor, expected: torch.Tensor, requested: torch.Tensor) -> torch.Tensor:
    """Cross-entropy with equal weights of both classes of lines for each head.

    The line head counts as much as all class heads together.
    """
    right = (expected * requested).sum(0)
    wrong = ((1 - expected) * requested).sum(0)
    heavy = (wrong / right.clamp_min(1.0)).clamp(1 / _HEAVIEST, _HEAVIEST)
    weights = torch.where(expected > 0, heavy, torch.ones_like(expected)) * requested
    return _join_losses(logits, expected, weights)


def focal_loss(
    logits: torch.Tensor, expected: torch.Tensor, requested: torch.Tensor, gamma: float
) -> torch.Tensor:
    """Cross-entropy that gives little weight to well-classified lines.

    Source: Lin et al. 2017, "Focal Loss for Dense Object Detection".
    """
    likely = torch.sigmoid(logits)
    missed = torch.where(expected > 0, 1 - likely, likely)
    return _join_losses(logits, expected, missed.pow(gamma) * requested)


def _join_losses(logits: torch.Tensor, expected: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    each = binary_cross_entropy_with_logits(logits, expected, reduction="none") * weights
    heads = each.sum(0) / weights.detach().sum(0).clamp_min(1e-6)
    return heads[0] + heads[1:].mean() if heads.shape[0] > 1 else heads[0]
