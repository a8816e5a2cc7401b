"""Classification of short texts: the probability of each class, one text at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wardround.errors import ModelError
from wardround.text.hashed_words import hashed_words

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from wardround.inference.onnx_session import Session
    from wardround.inference.tokenizer import TextTokenizer

INPUT = "input_ids"
WORDS = "words"
COUNTS = "counts"
PROBABILITIES = "probabilities"


class TextClassifier(msgspec.Struct, frozen=True):
    """A loaded model over tokens and words.

    Attributes:
        classes: in the order of its output.
    """

    session: Session
    tokens: TextTokenizer
    classes: tuple[str, ...]

    def probabilities(self, text: str) -> NDArray[np.float32]:
        """Return the probabilities of the classes, shape (classes,).

        Raises:
            ModelError: the output of the model is not one probability a class.
        """
        import numpy as np

        numbers, counts = hashed_words(text)
        inputs: dict[str, NDArray[Any]] = {
            INPUT: np.array([self.tokens.ids(text)], dtype=np.int64),
            WORDS: np.array(numbers, dtype=np.int64),
            COUNTS: np.array(counts, dtype=np.float32),
        }
        found = self.session.run(inputs)[-1]
        if found.shape != (1, len(self.classes)) or not np.isfinite(found).all():
            raise ModelError(
                f"its output is not {len(self.classes)} probabilities, but has shape {found.shape}"
            )
        row: NDArray[np.float32] = found[0]
        return row
