"""The lowest version that a range allows, as people write it."""

from __future__ import annotations

import re

_LOWER = re.compile(r"(?:>=|\^|~=?|==)\s*v?(\d+(?:\.\d+)*)")


def lowest_version(text: str) -> str:
    """Return the lowest version of a range of PEP 440 or npm; empty if it has no lower bound."""
    found = [match[1] for match in _LOWER.finditer(text)]
    return min(found, key=_numbers, default="")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
