"""A cheap look at whether a change can have parted a JSDoc comment from its function."""

from __future__ import annotations

from wardround.checks.lazy import LazyPattern

_NAME = LazyPattern(r"[^\W\d]\w*|\d[\w.]*")
_SIGNATURE = 1_500
"""Characters below a comment in which a signature ends."""


def may_part(old_text: str, new_text: str) -> bool:
    """Whether a documented signature may differ, or a line is gone that had a word of some comment.

    Says yes too often, and costs a search through both texts.
    """
    if old_text == new_text or "/**" not in old_text or "/**" not in new_text:
        return False
    old_pieces = set(_pieces(old_text))
    pieces = _pieces(new_text)
    if any(("@param" in piece or "@arg" in piece) and piece not in old_pieces for piece in pieces):
        return True
    gone = set(old_text.split("\n")).difference(new_text.split("\n"))
    words = {word for line in gone for word in _NAME.findall(line)}
    return any(not words.isdisjoint(_NAME.findall(piece.partition("*/")[0])) for piece in pieces)


def _pieces(text: str) -> list[str]:
    """The comments of a text, each with what may be the signature below it."""
    return [piece[: piece.find("*/") + _SIGNATURE] for piece in text.split("/**")[1:] if "*/" in piece]
