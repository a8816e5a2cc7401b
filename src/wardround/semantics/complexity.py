"""Measures of the complexity of a function: decisions by its tokens, nesting of loops by its indentation."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.lazy import LazyPattern
from wardround.semantics.enclosing import indentation

_DECISIONS = frozenset(
    {"if", "elif", "for", "while", "and", "or", "case", "except", "catch", "&&", "||", "??", "?"}
)
_LOOP = LazyPattern(r"[ \t}]*(?:async[ \t]+)?(?:for|while)\b")
_ARRAY_LOOP = LazyPattern(r"[^\n]*\.(?:forEach|map|flatMap|filter|reduce|some|every|find)\(")
_COMPREHENSION = LazyPattern(r"[\[({][^\n]*[ \t]for[ \t][^\n]*[ \t]in[ \t]")
_LONGEST = 400


def decisions(tokens: Sequence[str]) -> int:
    """Return the cyclomatic complexity of a body by its tokens."""
    return 1 + sum(token in _DECISIONS for token in tokens)


def is_loop(line: str, *, is_python: bool) -> bool:
    """Return True for a line that begins a loop, or in scripts calls a method of arrays that is one."""
    text = line[:_LONGEST]
    return bool(_LOOP.match(text)) or (not is_python and bool(_ARRAY_LOOP.match(text)))


def loop_nesting(lines: Sequence[str], *, is_python: bool) -> int:
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
        if is_loop(text, is_python=is_python):
            around.append(width)
            deepest = max(deepest, len(around))
        elif is_python and _COMPREHENSION.search(text):
            deepest = max(deepest, len(around) + 1)
    return deepest
