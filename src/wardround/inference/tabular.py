"""Conversion of rows of numbers to probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.errors import ModelError

if TYPE_CHECKING:
    from wardround.inference.onnx_session import Session


def raw_score(session: Session, row: Sequence[float]) -> float:
    """Return the model's raw score for one row: the last number of its last output.

    For a regressor that is its only number, for a classifier of two classes the probability of the second.

    Raises:
        ModelError: the output is not a number.
    """
    import numpy as np

    name = next(iter(session.inputs))
    output = session.run({name: np.array([row], dtype=np.float32)})[-1]
    if not isinstance(output, np.ndarray) or not output.size or not np.issubdtype(output.dtype, np.floating):
        raise ModelError("its output is not a number")
    score = float(output.reshape(-1)[-1])
    if not np.isfinite(score):
        raise ModelError(f"its output {score} is not a score")
    return score
