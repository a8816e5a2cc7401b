"""Results of tools and checks for content that was reviewed before, stored in the user's cache folder.

A key covers everything a result depends on: tool, version, configuration, path, content.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from wardround.findings import RawFinding
from wardround.storage.kv_cache import KeyValueCache
from wardround.storage.paths import cache_dir

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[RawFinding]).decode


class ResultCache:
    """Results by key; nothing is stored without an entry store."""

    def __init__(self, entries: KeyValueCache | None) -> None:
        self._entries = entries

    @classmethod
    def open(cls, folder: Path | None = None) -> ResultCache:
        """Return the cache of a folder; it is opened at the first use."""
        return cls(KeyValueCache((folder or cache_dir()) / "results.sqlite"))

    @property
    def trouble(self) -> str | None:
        """The reason why nothing is stored; None if the file is in use."""
        return None if self._entries is None else self._entries.trouble

    def get(self, keys: Iterable[bytes]) -> dict[bytes, list[RawFinding]]:
        """Return the entries that exist and can be read."""
        found: dict[bytes, list[RawFinding]] = {}
        for key, value in (self._entries.get(keys) if self._entries is not None else {}).items():
            with suppress(msgspec.MsgspecError, ValueError):
                found[key] = _decode(value)
        return found

    def put(self, entries: Mapping[bytes, list[RawFinding]]) -> None:
        """Store entries; one that cannot be written is dropped."""
        if self._entries is None:
            return
        encoded: dict[bytes, bytes] = {}
        for key, results in entries.items():
            with suppress(UnicodeEncodeError):  # the name of a file is not UTF-8
                encoded[key] = _encode(results)
        self._entries.put(encoded)

    def close(self) -> None:
        """Close the file."""
        if self._entries is not None:
            self._entries.close()
