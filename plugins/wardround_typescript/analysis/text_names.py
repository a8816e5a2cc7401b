"""Names of clean values and of values without text; loaded without the parser."""

from __future__ import annotations

from wardround.lazy import LazyPattern

SANITIZES = LazyPattern(
    r"(?i)(?<!un)saniti[sz]e|purify|(?<!un)escape|(?<!un)encode|\bclean\w*\(|\bsafe|\bxss\(|trustedHTML"
    r"|\besc\(|\bh\(|textContent"
)
"""Expressions that are clean by the names in them."""
NOT_TEXT = LazyPattern(
    r"(?i)^(i|idx|index|id|n|key|lat|lon|lng|latitude|longitude|count|total|page|level|icon|svg|css|style|cls"
    r"|class\w*|color|width|height|size|length|\w*(count|index|width|height|size"
    r"|color|icon|class|className|html|svg|css|id|length|percent|markup))$"
    r"|(?-i:^[A-Z][A-Z0-9_]*$)|^t\(|^i18n|format(Date|Number|Time|Price)|toFixed"
    r"|toLocale|Math\."
)
"""Names and calls whose value has no text of a user."""


def names_value_without_text(text: str) -> bool:
    """Return True for a name, or the last part of one, whose value cannot contain user text."""
    return (NOT_TEXT.search(text) or NOT_TEXT.search(text.rpartition(".")[2])) is not None
