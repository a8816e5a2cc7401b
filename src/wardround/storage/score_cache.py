"""Vectors and scores of models for content that was scored before, stored in the user's cache folder.

A key covers everything a number depends on: the model's files, how it is run, the content. No text is
stored.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from wardround.storage.digest import digest_key
from wardround.storage.kv_cache import LIMIT_BYTES, KeyValueCache
from wardround.storage.paths import cache_dir

Numbers: TypeAlias = "array[float]"
"""Of type code ``f``."""


class ScoreCache:
    """Numbers by key, for all threads of a process; opened at the first use."""

    def __init__(self, folder: Path | None = None, limit_bytes: int = LIMIT_BYTES) -> None:
        self._entries = KeyValueCache((folder or cache_dir()) / "scores.sqlite", limit_bytes)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Numbers]:
        """Return the entries that exist and are undamaged."""
        return {key: array("f", value) for key, value in self._entries.get(keys).items()}

    def put(self, entries: Mapping[bytes, Numbers]) -> None:
        """Store entries; one that cannot be written is dropped."""
        self._entries.put({key: numbers.tobytes() for key, numbers in entries.items()})

    def close(self) -> None:
        """Close the file."""
        self._entries.close()


def text_key(model: str, text: str) -> bytes:
    """Return the key of a text's vector; ``model`` is the digest of all other inputs."""
    return digest_key("text", model, text)


def row_key(model: str, row: Sequence[float]) -> bytes:
    """Return the key of a row's score."""
    return digest_key("row", model, array("d", row).tobytes())
