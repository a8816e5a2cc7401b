"""Writing a file atomically."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_atomic(file: Path, content: bytes) -> None:
    """Write a file so that it has the complete new content or the old.

    Raises:
        OSError: it cannot be written; no temporary file is left.
    """
    beside = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(content)
        beside.replace(file)
    finally:
        with suppress(OSError):
            beside.unlink()
