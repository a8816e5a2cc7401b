"""Writing a file in one step."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_atomic(file: Path, content: bytes) -> None:
    """Write a file so that it is there whole, or as it was before.

    Raises:
        OSError: it cannot be written; nothing is left beside it.
    """
    beside = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(content)
        beside.replace(file)
    finally:
        with suppress(OSError):
            beside.unlink()
