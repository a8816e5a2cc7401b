"""Positions in the text of JavaScript and TypeScript: comments, blanks, operands."""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern

_CLOSES = {"(": ")", "[": "]", "{": "}"}
_BLANK = LazyPattern(r"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*")


def after_blank(text: str, position: int) -> int:
    """Return the offset after whitespace and comments."""
    result = _BLANK.match(text, position)
    return result.end() if result else position


def operand_end(text: str, at: int) -> int:
    """Return the end of an operand: before ``+``, a comma, a semicolon or an outer closing bracket."""
    depth: list[str] = []
    limit = min(len(text), at + 2000)
    while at < limit:
        char = text[at]
        if char in "'\"`":
            close = text.find(char, at + 1)
            at = close if close >= 0 else limit
        elif char in _CLOSES:
            depth.append(_CLOSES[char])
        elif depth and char == depth[-1]:
            depth.pop()
        elif not depth and char in "+,;)]}\n":
            return at
        at += 1
    return at


def is_in_comment(text: str, position: int) -> bool:
    """Return True if an offset is after ``//``, or on a line of a block comment."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line.lstrip().startswith(("*", "/*")) or re.search(r"(?<!:)//", line) is not None


_HOLE = LazyPattern(r"\$\{[^{}`]*+\}")


def fill_placeholders(template: str) -> str | None:
    """Return a template with each ``${...}`` as a placeholder of its length; None if one is inside a name."""
    if "${" not in template:
        return template
    filled = _HOLE.sub(
        lambda hole: "$1".ljust(len(hole.group())) if "\n" not in hole.group() else hole.group(), template
    )
    return None if "${" in filled else filled
