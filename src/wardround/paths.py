"""Paths as text that can be written down."""

from __future__ import annotations


def printable(text: str) -> str:
    """Text that can be written as UTF-8: undecodable bytes of a path become ``\\xHH``."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
