"""Paths as text: their written form, and the kind of file they name."""

from __future__ import annotations


def escape_undecodable(text: str) -> str:
    r"""Return text that can be encoded as UTF-8: undecodable bytes of a path become ``\xHH``."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def lower_suffix(path: str) -> str:
    """Return the path by which tools and checks recognise the kind of a file: ``RUN.PY`` is ``RUN.py``."""
    stem, dot, suffix = path.rpartition(".")
    lower = suffix.lower()
    return path if suffix == lower or not dot or "/" in suffix else f"{stem}.{lower}"
