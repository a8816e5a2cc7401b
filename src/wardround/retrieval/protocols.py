"""What retrieval asks of a model. Nothing here imports one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class TextEmbedder(Protocol):
    """Turns texts into vectors whose dot product says how close two texts are in meaning.

    Attributes:
        digest: of everything a vector depends on beside its text; vectors are kept under it.
    """

    @property
    def digest(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (texts, dimensions), each of length 1 and independent of the other texts."""
        ...
