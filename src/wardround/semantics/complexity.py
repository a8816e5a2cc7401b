"""Measures of the complexity of a function: decisions by its tokens, nesting of loops by its layout."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.checks.lazy import LazyPattern
from wardround.semantics.enclosing import indentation

_DECISIONS = frozenset(
    {"if", "elif", "for", "while", "and", "or", "case", "except", "catch", "&&", "||", "??", "?"}
)
_LOOP = LazyPattern(
    r"[ \t}]*(?:async[ \t]+)?(?:for|while)\b|[^\n]*\.(?:forEach|map|flatMap|filter|reduce|some|every|find)\("
)
_COMPREHENSION = LazyPattern(r"[\[({][^\n]*[ \t]for[ \t][^\n]*[ \t]in[ \t]")
_LONGEST = 400


def decisions(tokens: Sequence[str]) -> int:
    """Return the cyclomatic complexity of a body by its tokens."""
    return 1 + sum(token in _DECISIONS for token in tokens)


def loop_nesting(lines: Sequence[str]) -> int:
    """Return the greatest number of loops around a line of a body, itself included."""
    deepest = 0
    around: list[int] = []
    for line in lines:
        text = line[:_LONGEST]
        if not text.strip() or text.lstrip().startswith(("#", "//", "*")):
            continue
        width = indentation(text)
        while around and around[-1] >= width and not text.lstrip().startswith((")", "]")):
            around.pop()
        if _LOOP.match(text):
            around.append(width)
            deepest = max(deepest, len(around))
        elif _COMPREHENSION.search(text):
            deepest = max(deepest, len(around) + 1)
    return deepest
