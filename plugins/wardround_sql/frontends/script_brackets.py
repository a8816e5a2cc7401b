"""Brackets, strings and comments in JavaScript and TypeScript."""

from __future__ import annotations


def closing(text: str, at: int) -> int:
    """Return the offset of the bracket that closes the one at an offset."""
    depth = 0
    while at < len(text):
        char = text[at]
        if char in "'\"`":
            at = _skip_string(text, at)
            continue
        if char == "/":
            at = _comment_end(text, at)
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return at


def _skip_string(text: str, at: int) -> int:
    """Return the offset after the string that begins at an offset; a line's end closes it, too."""
    quote = text[at]
    at += 1
    while at < len(text):
        char = text[at]
        if char == quote or (char == "\n" and quote != "`"):
            return at + 1
        at += 2 if char == "\\" else 1
    return at


def _comment_end(text: str, at: int) -> int:
    """Return the end offset of the comment that begins with a slash; that of the slash if it begins none."""
    if text.startswith("//", at):
        end = text.find("\n", at + 2)
    elif text.startswith("/*", at):
        end = text.find("*/", at + 2)
    else:
        return at
    return end if end >= 0 else len(text)
