"""The files of a runner that a step appends to, such as that for its summary."""

from __future__ import annotations

import os
from pathlib import Path

from wardround.errors import UsageError

MOST_BYTES = 1024 * 1024 - 1024
"""GitHub drops a summary of more than 1 MiB."""


def append(path: Path, content: str, variable: str) -> None:
    """Append to a file that the runner made.

    Args:
        variable: that names the file, for the message.

    Raises:
        UsageError: it cannot be written, or is a link.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(path, flags, 0o600), "ab") as file:
            file.write(content.encode("utf-8", "backslashreplace"))
    except OSError as cause:
        raise UsageError(f"{variable}: {cause.strerror}; the runner must create that file") from cause
