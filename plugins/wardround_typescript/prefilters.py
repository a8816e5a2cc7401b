"""Prefilter for changes that may separate a JSDoc comment from its function."""

from __future__ import annotations

from wardround.checks.lazy import LazyPattern

_NAME = LazyPattern(r"[^\W\d]\w*|\d[\w.]*")
_SIGNATURE = 1_500
"""Length in characters below a comment in which a signature ends."""


def may_part(old_text: str, new_text: str) -> bool:
    """Return True if a documented signature may differ, or a removed line had a word of a comment.

    It has false positives, and costs one search of both texts.
    """
    if old_text == new_text or "/**" not in old_text or "/**" not in new_text:
        return False
    old_pieces = set(_pieces(old_text))
    pieces = _pieces(new_text)
    if any(("@param" in piece or "@arg" in piece) and piece not in old_pieces for piece in pieces):
        return True
    removed = set(old_text.split("\n")).difference(new_text.split("\n"))
    words = {word for line in removed for word in _NAME.findall(line)}
    return any(not words.isdisjoint(_NAME.findall(piece.partition("*/")[0])) for piece in pieces)


def _pieces(text: str) -> list[str]:
    """Yield the comments of a text, each with the possible signature below it."""
    return [piece[: piece.find("*/") + _SIGNATURE] for piece in text.split("/**")[1:] if "*/" in piece]
