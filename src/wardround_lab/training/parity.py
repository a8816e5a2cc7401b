"""Measure on real texts how far each step of an export changes the vectors and the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from wardround.inference.metadata import Parity
from wardround_lab.training.encoder import Encoder, length_buckets, pad
from wardround_lab.training.onnx_export import INPUT

if TYPE_CHECKING:
    from wardround.inference.onnx_session import Session

Floats = NDArray[np.float32]
Floats64 = NDArray[np.float64]
_TOGETHER = 8192
"""Tokens per call: a layer of 30,000 numbers per token needs 1 GB for them."""


class Vectors(Protocol):
    """Computes a vector of length 1 from the tokens of one text."""

    def __call__(self, tokens: Sequence[int]) -> Floats: ...


def wrap_encoder(encoder: Encoder) -> Vectors:
    """Wrap an encoder, one text at a time."""

    def vector(tokens: Sequence[int]) -> Floats:
        ids = torch.tensor([list(tokens)], dtype=torch.int64)
        with torch.no_grad():
            created: Floats = encoder(ids, torch.ones_like(ids))[0].float().numpy()
        return created

    return vector


def wrap_session(session: Session) -> Vectors:
    """Wrap a loaded model, one text at a time."""
    return lambda tokens: session.run({INPUT: np.array([list(tokens)], dtype=np.int64)})[0][0]


def embed_texts(vectors: Vectors, texts: Sequence[Sequence[int]]) -> Floats:
    """Return vectors of shape (texts, dimensions)."""
    return np.stack([vectors(tokens) for tokens in texts])


def embedded_together(encoder: Encoder, texts: Sequence[Sequence[int]]) -> Floats:
    """Return the same by an encoder with expensive calls, in as few as the memory allows."""
    device = next(encoder.parameters()).device
    vectors: dict[int, Floats] = {}
    for bucket in length_buckets([len(text) for text in texts], _TOGETHER):
        with torch.no_grad():
            created = encoder(*pad([texts[location] for location in bucket], device)).float().cpu().numpy()
        vectors |= dict(zip(bucket, created, strict=True))
    return np.stack([vectors[location] for location in range(len(texts))])


def compare_vectors(step: str, before: Floats, after: Floats) -> Parity:
    """Return the difference of one step: of coordinates, and of the scores of all pairs of texts."""
    pairs = np.triu_indices(len(before), 1)
    scores = [(created @ created.T)[pairs].astype(np.float64) for created in (before, after)]
    return Parity(
        step=step,
        largest=float(np.abs(before - after).max()),
        correlation=float(np.corrcoef(scores[0], scores[1])[0, 1]),
    )


def compare_outputs(step: str, before: Floats64, after: Floats64) -> Parity:
    """Return the difference of one step: of outputs of the same shape."""
    return Parity(
        step=step,
        largest=float(np.abs(before - after).max()),
        correlation=float(np.corrcoef(before.ravel(), after.ravel())[0, 1]),
    )
