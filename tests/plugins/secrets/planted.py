"""Secrets for tests: generated in each run, so that none is in the source."""

from __future__ import annotations

import random
import string

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
HEX = "0123456789abcdef"


def drawn(alphabet: str, length: int, seed: int = 7) -> str:
    """A random value, the same for each seed."""
    return "".join(random.Random(f"{alphabet}{length}{seed}").choices(alphabet, k=length))


GITHUB = "gh" + "p_" + drawn(BASE62, 36)
STRIPE = "sk" + "_live_" + drawn(BASE62, 24)
SLACK = "xox" + f"b-{drawn(string.digits, 12)}-{drawn(string.digits, 12, 8)}-{drawn(BASE62, 24)}"
HEX_KEY = drawn(HEX, 32)
PASSWORD = "Blauwal." + drawn(string.digits, 5)
KEY_BODY = drawn(BASE62, 64)
PRIVATE_KEY = (
    f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{KEY_BODY}\n{drawn(BASE62, 64, 9)}\n"
    "-----END RSA PRIVATE KEY-----\n"
)
