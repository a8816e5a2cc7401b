"""Conversion of texts to token ids, by the tokenizer that a model was trained with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class TextTokenizer:
    """Splits texts into the tokens of one model.

    Args:
        content: a ``tokenizer.json``, verified.
        window: maximum number of tokens of a text, special tokens included; the rest is truncated.

    Raises:
        ModelError: it is not a tokenizer.
    """

    def __init__(self, content: bytes, window: int) -> None:
        self._tokenizer = plain_tokenizer(content)
        self._tokenizer.enable_truncation(window)

    def ids(self, text: str) -> list[int]:
        """Return the token ids of a text, special ones included; a lone surrogate is an unknown character."""
        plain = text.encode("utf-8", "replace").decode()
        ids: list[int] = self._tokenizer.encode(plain).ids
        return ids


def plain_tokenizer(content: bytes) -> Tokenizer:
    """Return a tokenizer that neither pads nor truncates.

    Raises:
        ModelError: the content is not a tokenizer.
    """
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(content)
        tokenizer.no_padding()
        tokenizer.no_truncation()
    except Exception as cause:  # tokenizers raises bare Exception for content it cannot read
        raise ModelError(f"the tokenizer cannot be read: {cause}; install the model again") from cause
    return tokenizer
