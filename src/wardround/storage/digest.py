"""Digests of content, and stamps of files that change with it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from wardround.storage.cpython import sha256

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["digest_key", "file_stamp", "sha256"]


def file_stamp(file: Path | str) -> str:
    """Return the size of a file and the time of its last modification."""
    found = os.stat(file)
    return f"{found.st_size} {found.st_mtime_ns}"


def digest_key(*parts: str | bytes) -> bytes:
    """Return a digest of parts, with unambiguous boundaries."""
    digest = sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.digest()
