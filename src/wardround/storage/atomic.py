"""Writing a file atomically."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def write_atomic(file: Path, content: bytes) -> None:
    """Write a file so that it has the complete new content or the old.

    Raises:
        OSError: it cannot be written; no temporary file is left.
    """
    with open_atomic(file) as stream:
        stream.write(content)


@contextmanager
def open_atomic(file: Path) -> Iterator[BinaryIO]:
    """Open a file for writing; it has the old content until all of the new one is written.

    Raises:
        OSError: it cannot be written; no temporary file is left.
    """
    beside = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as stream:
            yield stream
        beside.replace(file)
    finally:
        with suppress(OSError):
            beside.unlink()
