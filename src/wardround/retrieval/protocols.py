"""The interface of models for retrieval. Nothing here imports one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class TextEmbedder(Protocol):
    """Encodes texts as vectors whose dot product is the semantic similarity of two texts.

    Attributes:
        digest: digest of all inputs of a vector besides its text; it is part of the key of cached vectors.
    """

    @property
    def digest(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of shape (texts, dimensions), each of length 1 and independent of other texts."""
        ...
