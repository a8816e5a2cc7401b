"""SHA-256 from the interpreter's own module: ``hashlib`` loads all of OpenSSL, which takes a review 5 ms."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING or sys.implementation.name != "cpython":
    from hashlib import sha256
elif sys.version_info >= (3, 12):
    from _sha2 import sha256
else:
    from _sha256 import sha256

__all__ = ["sha256"]
