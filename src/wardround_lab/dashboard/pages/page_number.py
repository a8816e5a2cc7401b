"""The number of a page in an address."""

from __future__ import annotations

from collections.abc import Mapping

_DIGITS = 9


def page_number(query: Mapping[str, str]) -> int:
    """Return the number of the page that parameters name; 1 if it is not a number."""
    text = query.get("page", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else 1
