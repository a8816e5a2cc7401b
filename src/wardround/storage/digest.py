"""What tells one state of something from another: digests of content, and the looks of files.

SHA-256 comes from the interpreter's own module: ``hashlib`` loads all of OpenSSL, which takes a review 5 ms.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

if TYPE_CHECKING or sys.implementation.name != "cpython":
    from hashlib import sha256
elif sys.version_info >= (3, 12):
    from _sha2 import sha256
else:
    from _sha256 import sha256

__all__ = ["file_stamp", "sha256"]


def file_stamp(file: Path | str) -> str:
    """What changes when a file does: its size, and when it was written."""
    found = os.stat(file)
    return f"{found.st_size} {found.st_mtime_ns}"
