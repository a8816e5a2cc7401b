"""Measure on real texts how far each step of an export changes the vectors and the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from wardround.inference.metadata import Parity
from wardround_lab.training.encoder import Encoder, bucketed, padded
from wardround_lab.training.onnx_export import INPUT

if TYPE_CHECKING:
    from wardround.inference.onnx_session import Session

Floats = NDArray[np.float32]
_TOGETHER = 8192
"""Tokens per call: a layer of 30,000 numbers per token needs 1 GB for them."""


class Vectors(Protocol):
    """Computes a vector of length 1 from the tokens of one text."""

    def __call__(self, tokens: Sequence[int]) -> Floats: ...


def of_torch(encoder: Encoder) -> Vectors:
    """Wrap an encoder, one text at a time."""

    def vector(tokens: Sequence[int]) -> Floats:
        ids = torch.tensor([list(tokens)], dtype=torch.int64)
        with torch.no_grad():
            made: Floats = encoder(ids, torch.ones_like(ids))[0].float().numpy()
        return made

    return vector


def of_session(session: Session) -> Vectors:
    """Wrap a loaded model, one text at a time."""
    return lambda tokens: session.run({INPUT: np.array([list(tokens)], dtype=np.int64)})[0][0]


def embedded(vectors: Vectors, texts: Sequence[Sequence[int]]) -> Floats:
    """Return vectors of shape (texts, dimensions)."""
    return np.stack([vectors(tokens) for tokens in texts])


def embedded_together(encoder: Encoder, texts: Sequence[Sequence[int]]) -> Floats:
    """Return the same by an encoder with expensive calls, in as few as the memory allows."""
    device = next(encoder.parameters()).device
    vectors: dict[int, Floats] = {}
    for bucket in bucketed([len(text) for text in texts], _TOGETHER):
        with torch.no_grad():
            made = encoder(*padded([texts[place] for place in bucket], device)).float().cpu().numpy()
        vectors |= dict(zip(bucket, made, strict=True))
    return np.stack([vectors[place] for place in range(len(texts))])


def compared(step: str, before: Floats, after: Floats) -> Parity:
    """Return the difference of one step: of coordinates, and of the scores of all pairs of texts."""
    pairs = np.triu_indices(len(before), 1)
    scores = [(made @ made.T)[pairs].astype(np.float64) for made in (before, after)]
    return Parity(
        step=step,
        largest=float(np.abs(before - after).max()),
        correlation=float(np.corrcoef(scores[0], scores[1])[0, 1]),
    )
