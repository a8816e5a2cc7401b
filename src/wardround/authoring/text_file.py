"""Text files that people write for a command: a task, or constraints."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from wardround.errors import UsageError
from wardround.text.escaping import one_line

MOST_BYTES = 1024 * 1024


def read_input(path: Path, name: str) -> str:
    """Return the text of a regular file.

    Args:
        name: what the file is, for messages.

    Raises:
        UsageError: it cannot be read, is too long, or is not UTF-8 text.
    """
    shown = one_line(name)
    try:
        content = _read_regular_file(path)
    except (OSError, ValueError) as cause:
        reason = getattr(cause, "strerror", None) or str(cause)
        raise UsageError(f"{shown} cannot be read: {reason}; give the path of a text file") from cause
    if len(content) > MOST_BYTES:
        raise UsageError(f"{shown} has more than {MOST_BYTES:,} bytes; shorten it")
    return decode_input(content, shown)


def _read_regular_file(path: Path) -> bytes:
    """Return the beginning of a file; a pipe or a device could block."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("it is not a regular file")
        return file.read(MOST_BYTES + 1)


def decode_input(content: bytes, shown: str) -> str:
    """Return bytes as text with line feeds only.

    Raises:
        UsageError: they are not UTF-8 text.
    """
    if b"\0" in content:
        raise UsageError(f"{shown} is binary; give a text")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        raise UsageError(f"{shown} is not UTF-8; save it as UTF-8") from cause
    return text.replace("\r\n", "\n").replace("\r", "\n")
