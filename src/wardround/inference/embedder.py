"""Conversion of texts to vectors, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from wardround.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wardround.inference.onnx_session import Session
    from wardround.inference.tokenizer import TextTokenizer


class Embedder(msgspec.Struct, frozen=True):
    """Encodes texts as unit vectors whose dot product is the semantic similarity of two texts.

    Every text is encoded alone at its own length. Integer quantisation scales by the largest activation of
    the input, so in a batch the other texts, and the padding, would change its vector.

    Attributes:
        digest: digest of all inputs of a vector besides its text.
    """

    session: Session
    tokens: TextTokenizer
    digest: str

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of shape (texts, width), each of length 1 and independent of the other texts.

        Raises:
            ModelError: the output of the model is not a vector.
        """
        import numpy as np

        vectors = [self._vector(text) for text in texts]
        return np.stack(vectors) if vectors else np.zeros((0, self.session.width), np.float32)

    def _vector(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        ids = np.array([self.tokens.ids(text)], dtype=np.int64)
        vector = self.session.run({"input_ids": ids})[-1]
        if vector.ndim != 2 or vector.shape[0] != 1 or not np.isfinite(vector).all():
            raise ModelError(f"its output is not a vector, but has shape {vector.shape}")
        length = float(np.linalg.norm(vector[0])) or 1.0
        found: NDArray[np.float32] = vector[0] / np.float32(length)
        return found
