"""The settings of a decoder: ``genai_config.json``, as far as wardround reads and permits it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from wardround.errors import ModelError
from wardround.inference.locations import DECODER_CONFIG, MODEL_FILE

_CODE = frozenset({"custom_ops_library", "plugin", "run_options_library"})
"""Keys that name libraries, which would run code."""
_PROVIDERS = frozenset({"cpu", "cuda"})


class _SessionOptions(msgspec.Struct, frozen=True):
    provider_options: tuple[dict[str, Any], ...] = ()


class _Graph(msgspec.Struct, frozen=True):
    filename: str
    session_options: _SessionOptions = _SessionOptions()


class _Model(msgspec.Struct, frozen=True):
    context_length: int
    decoder: _Graph
    eos_token_id: int | tuple[int, ...]
    vocab_size: int


class _Settings(msgspec.Struct, frozen=True):
    model: _Model


class DecoderSettings(msgspec.Struct, frozen=True):
    """The settings that a generation needs.

    Attributes:
        width: the numbers of the output at one token.
        end_tokens: the tokens that end an answer; the first one is the usual one.
        is_for_cuda: True if the graph was exported for CUDA.
    """

    context_length: int
    width: int
    end_tokens: tuple[int, ...]
    is_for_cuda: bool


def read_settings(content: bytes) -> DecoderSettings:
    """Return the settings in a ``genai_config.json``.

    Raises:
        ModelError: it is not one, or names another file, a library or an unknown provider.
    """
    try:
        document = msgspec.json.decode(content)
        model = msgspec.convert(document, _Settings).model
    except (msgspec.MsgspecError, ValueError, RecursionError) as cause:
        raise ModelError(f"{DECODER_CONFIG}: {cause}; export the decoder again") from cause
    _require_harmless(document)
    providers = {name for options in model.decoder.session_options.provider_options for name in options}
    unknown = sorted(providers - _PROVIDERS)
    if unknown:
        raise ModelError(
            f"{DECODER_CONFIG}: the provider {unknown[0]!r} is not supported; export it for cpu or cuda"
        )
    end = model.eos_token_id
    end_tokens = (end,) if isinstance(end, int) else end
    return DecoderSettings(model.context_length, model.vocab_size, end_tokens, "cuda" in providers)


def _require_harmless(document: object) -> None:
    for key, value in _entries(document):
        if key in _CODE and value:
            raise ModelError(f"{DECODER_CONFIG}: {key} would load code, which no model may; do not use it")
        if key == "filename" and value != MODEL_FILE:
            raise ModelError(f"{DECODER_CONFIG}: it names {value!r}, and only {MODEL_FILE} is opened")


def _entries(value: object) -> Iterator[tuple[str, object]]:
    """Yield the keys with their values at any depth."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield key, child
            yield from _entries(child)
    elif isinstance(value, list):
        for child in value:
            yield from _entries(child)
