"""The decision that a coverage file belongs to the tree under review."""

from __future__ import annotations

import re

from wardround.context.line_coverage.model import Lines

_COMMENT = re.compile(r"\s*(?:#.*)?$")
_NO_CODE = re.compile(r"\s*(?:(?://|/\*|\*).*)?[\s{}()\[\];,]*$")


def mismatch(path: str, text: str, lines: Lines) -> str:
    """Return the reason why the measured lines are not those of a text; empty if they may be.

    Only Python is measured by statements alone: other runners measure empty lines and comments too.
    """
    source = text.split("\n")
    last = max(lines, default=0)
    if last > len(source):
        return f"{path} has no line {last}"
    if path.endswith(".py"):
        for number in sorted(lines):
            if _COMMENT.match(source[number - 1]):
                return f"{path}:{number} is not a statement"
    return ""


def has_code(path: str, line: str) -> bool:
    """Return True for a line with more than layout, comments and brackets."""
    return not (_COMMENT if path.endswith(".py") else _NO_CODE).match(line)
