"""Prefilter for changes that may separate a JSDoc comment from its function."""

from __future__ import annotations

from wardround.lazy import LazyPattern

_NAME = LazyPattern(r"[^\W\d]\w*|\d[\w.]*")
_SIGNATURE = 1_500
"""Length in characters below a comment in which a signature ends."""
_OPENING = "/**"


def may_differ_in_signature(old_text: str, new_text: str) -> bool:
    """Return True if a documented signature may differ, or a removed line had a word of a comment.

    It has false positives, and costs one search of both strings.
    """
    if old_text == new_text:
        return False
    if _OPENING not in old_text or _OPENING not in new_text:
        return False
    pieces = _pieces(new_text)
    added = set(pieces).difference(_pieces(old_text))
    if any("@param" in piece or "@arg" in piece for piece in added):
        return True
    return _has_removed_word(old_text, new_text, pieces)


def _has_removed_word(old_text: str, new_text: str, pieces: list[str]) -> bool:
    """Return True if a comment has a word of a removed line."""
    removed_lines = set(old_text.split("\n")).difference(new_text.split("\n"))
    removed = {word for line in removed_lines for word in _NAME.findall(line)}
    comments = (piece.partition("*/")[0] for piece in pieces)
    return any(not removed.isdisjoint(_NAME.findall(comment)) for comment in comments)


def _pieces(text: str) -> list[str]:
    """Return the comments of a source, each with the possible signature below it."""
    closed = [piece for piece in text.split(_OPENING)[1:] if "*/" in piece]
    return [piece[: piece.find("*/") + _SIGNATURE] for piece in closed]
