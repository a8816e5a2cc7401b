"""The folder of a decoder: what the model builder of onnxruntime-genai writes, and our metadata.

It has ``genai_config.json``, ``model.onnx``, usually with its weights in ``model.onnx.data``, the
tokenizer's files and the chat template. The metadata has the digest of each, and nothing else is opened.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from wardround.errors import ModelError
from wardround.inference.locations import DECODER_CONFIG, DECODER_FILES, MODEL_FILE, TOKENIZER_FILE
from wardround.inference.metadata import SCHEMA, BaseModel, File, Metadata, PromotionState

SPECIALIST, TASK = "language-model", "chat"
"""The fields of a decoder's metadata for the specialist and the task: it answers every plane."""


def decoder_metadata(
    folder: Path,
    name: str,
    *,
    licence: str,
    date: str,
    window: int,
    title: str = "",
    base: BaseModel | None = None,
) -> Metadata:
    """Return the metadata of a decoder in shadow, with the digests of the files in its folder.

    Args:
        date: that of the training, or of the export, ``YYYY-MM-DD``.
        window: most tokens of a request with its answer.

    Raises:
        ModelError: a file that every decoder needs is missing.
    """
    for needed in (MODEL_FILE, DECODER_CONFIG, TOKENIZER_FILE):
        if not (folder / needed).is_file():
            raise ModelError(f"{folder / needed} is missing; export the decoder again")
    return Metadata(
        schema=SCHEMA, name=name, specialist=SPECIALIST, task=TASK, kind="chat", state=PromotionState.SHADOW,
        licence=licence, date=date, title=title, base=base, window=window,
        model=described_file(folder / MODEL_FILE),
        tokenizer=described_file(folder / TOKENIZER_FILE),
        files=tuple(described_file(folder / file) for file in DECODER_FILES if (folder / file).is_file()),
    )  # fmt: skip


def described_file(path: Path) -> File:
    """Return the entry of a file in the metadata; a large one is not read into memory at once."""
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return File(name=path.name, sha256=digest, bytes=path.stat().st_size)
